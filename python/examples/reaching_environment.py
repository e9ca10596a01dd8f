"""An environment for learning to reach with muscles, in the shape that learning libraries expect; none of them is needed.

    reset(seed) -> observation, info
    step(excitations) -> observation, reward, terminated, truncated, info

The right arm shall bring its elbow to an angle that is drawn anew at every reset, by excitations of its own muscles alone.
"""

import numpy as np

import pneuma


class ReachingEnvironment:
    """Elbow to an angle, by excitations of the muscles that cross it."""

    SECONDS_PER_STEP = 0.021
    STEPS = 60

    def __init__(self, body=None):
        self.skeleton = (body or pneuma.Body()).skeleton("upper-body")
        self.body = pneuma.MuscleBody(self.skeleton, excitation=True)
        joint = self.skeleton.dofs.index("elbow_r.flexion")
        arms = self.skeleton.moment_arms(self.skeleton.pose({"elbow_r.flexion": 0.5}))[:, joint]
        self.actions = np.flatnonzero(np.abs(arms) > 2e-3)  # muscles that turn the elbow
        self._random = np.random.default_rng()
        self._left = 0

    def _observation(self):
        return np.concatenate([self.body.lengths[self.actions], self.body.activations[self.actions], self._wanted])

    def reset(self, seed=None):
        """A new angle, the body at rest."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.body.reset()
        angle = self._random.uniform(0.3, 1.2)
        self._wanted = self.skeleton.muscle_lengths(self.skeleton.pose({"elbow_r.flexion": angle}))[self.actions]
        self._left = self.STEPS
        return self._observation(), {"angle": angle}

    def step(self, excitations):
        """Excitations, 0 .. 1, of the muscles in `actions`; the others rest."""
        all_muscles = np.zeros(len(self.body.muscles))
        all_muscles[self.actions] = np.clip(excitations, 0, 1)
        self._left -= 1
        try:
            self.body.excite(all_muscles, self.SECONDS_PER_STEP)
        except pneuma.SimulationError as error:
            return self._observation(), -10.0, True, False, {"error": str(error)}
        miss = np.sqrt(np.mean((self.body.lengths[self.actions] - self._wanted) ** 2))
        reward = -miss / 0.01 - 0.01 * float(np.sum(all_muscles**2))
        return self._observation(), float(reward), False, self._left <= 0, {"miss": float(miss)}


if __name__ == "__main__":
    environment = ReachingEnvironment()
    observation, info = environment.reset(seed=1)
    total = 0.0
    for _ in range(10):
        observation, reward, terminated, truncated, info = environment.step(np.full(len(environment.actions), 0.1))
        total += reward
    print(f"{len(environment.actions)} muscles, reward of ten steps {total:.2f}")
