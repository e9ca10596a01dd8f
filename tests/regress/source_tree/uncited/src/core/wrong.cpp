/// A law from a paper that the references lack [Nobody99, Eq. 1].
