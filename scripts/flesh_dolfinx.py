#!/usr/bin/env python3
"""flesh_dolfinx.py [BENCH]: our flesh beside DOLFINx on the same tetrahedra, start and tolerance.

A bar of the paper's material (equation 9), one end turned by a degree. BENCH is the program
bench_flesh_block (default build/bench/bin/bench_flesh_block). DOLFINx solves by Newton's method, conjugate
gradients to 1e-2 with PETSc's GAMG, until no node moves more than half of 0.1 mm. Compiling its
forms is not counted. Prints processor times, their ratio and how far the results are apart.
Leaves with a message where DOLFINx is missing (Debian: python3-dolfinx).
"""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

try:
    import dolfinx
    import ufl
    from dolfinx import fem
    from dolfinx.fem import petsc as fem_petsc
    from dolfinx.mesh import create_mesh
    from mpi4py import MPI
    from petsc4py import PETSc
except ImportError as missing:
    print(f'flesh_dolfinx: skipped, {missing} (Debian package python3-dolfinx)')
    sys.exit(0)

MU10, MU01, KAPPA = 0.02e6, 0.06e6, 10e6  # [Pa], Lee et al. 2009
TOLERANCE = 1e-4  # [m]


def read(path):
    numbers = np.fromfile(path, sep=' ')
    nodes, tets = int(numbers[0]), int(numbers[1])
    table = numbers[2:2 + 10 * nodes].reshape(nodes, 10)
    corners = numbers[2 + 10 * nodes:].reshape(tets, 4).astype(np.int64)
    return table[:, :3], table[:, 3] > 0, table[:, 4:7], table[:, 7:], corners


def energy(u):
    F = ufl.Identity(3) + ufl.grad(u)
    C, J = F.T * F, ufl.det(F)
    Cb = J**(-2 / 3) * C
    I = ufl.tr(Cb)
    return MU10 * (I - 3) + MU01 / 2 * (I**2 - ufl.inner(Cb, Cb) - 6) + KAPPA / 2 * ufl.ln(J)**2


def rigid_motions(V, x):
    """Near null space, without which algebraic multigrid knows nothing of elasticity."""
    vectors = []
    for k in range(6):
        field = np.zeros_like(x)
        if k < 3:
            field[:, k] = 1
        else:
            field[:, (k - 2) % 3], field[:, (k - 1) % 3] = -x[:, (k - 1) % 3], x[:, (k - 2) % 3]
        vectors.append(field.ravel())
    basis = np.linalg.qr(np.array(vectors).T)[0].T
    return PETSc.NullSpace().create(vectors=[PETSc.Vec().createWithArray(b.copy()) for b in basis])


def solve(rest, held, start, corners):
    element = ufl.VectorElement('Lagrange', ufl.tetrahedron, 1)
    mesh = create_mesh(MPI.COMM_SELF, corners, rest, ufl.Mesh(element))
    V = fem.VectorFunctionSpace(mesh, ('Lagrange', 1))
    u, test, trial = fem.Function(V), ufl.TestFunction(V), ufl.TrialFunction(V)
    own = np.array(mesh.geometry.input_global_indices)  # of the mesh's nodes in ours
    x = V.tabulate_dof_coordinates()
    # Degrees of freedom follow the geometry's nodes in an order of their own.
    node_of_dof = np.empty(len(x), dtype=np.int64)
    geometry, dofs = mesh.geometry.dofmap, V.dofmap
    for cell in range(len(corners)):
        node_of_dof[dofs.cell_dofs(cell)] = own[geometry.links(cell)]
    form = ufl.derivative(energy(u) * ufl.dx(metadata={'quadrature_degree': 0}), u, test)
    F, A = fem.form(form), fem.form(ufl.derivative(form, u, trial))
    fixed = np.flatnonzero(held[node_of_dof]).astype(np.int32)
    zero = fem.Function(V)
    bc = fem.dirichletbc(zero, fixed)
    u.x.array[:] = (start - rest)[node_of_dof].ravel()
    matrix, vector = fem_petsc.create_matrix(A), fem_petsc.create_vector(F)
    matrix.setNearNullSpace(rigid_motions(V, x))
    solver = PETSc.KSP().create(MPI.COMM_SELF)
    solver.setType('cg')
    solver.getPC().setType('gamg')
    solver.setTolerances(rtol=1e-2, max_it=2000)
    step = matrix.createVecRight()
    began, steps, iterations = time.process_time(), 0, 0
    while True:
        matrix.zeroEntries()
        fem_petsc.assemble_matrix(matrix, A, bcs=[bc])
        matrix.assemble()
        with vector.localForm() as local:
            local.set(0)
        fem_petsc.assemble_vector(vector, F)
        fem_petsc.set_bc(vector, [bc], scale=0.0)
        solver.setOperators(matrix)
        solver.solve(vector, step)
        u.x.array[:] -= step.array
        steps, iterations = steps + 1, iterations + solver.getIterationNumber()
        move = np.linalg.norm(step.array.reshape(-1, 3), axis=1).max()
        if move < TOLERANCE / 2 or steps > 30 or not np.isfinite(move):
            break
    seconds = time.process_time() - began
    result = np.empty_like(rest)
    result[node_of_dof] = rest[node_of_dof] + u.x.array.reshape(-1, 3)
    return result, seconds, steps, iterations, move < TOLERANCE / 2


def main():
    bench = sys.argv[1] if len(sys.argv) > 1 else 'build/bench/bin/bench_flesh_block'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'bar.txt'
        line = subprocess.run([bench, path], check=True, capture_output=True, text=True).stdout.split()
        rest, held, start, ours, corners = read(path)
    tets, seconds, steps, iterations = int(line[0]), float(line[1]), int(line[2]), int(line[3])
    theirs, their_seconds, their_steps, their_iterations, good = solve(rest, held, start, corners)
    apart = np.linalg.norm(ours - theirs, axis=1).max()
    print(f'{tets} tetrahedra, {len(rest)} nodes')
    print(f'ours              {seconds:8.3f} CPU s, {steps} Newton, {iterations} iterations')
    print(f'DOLFINx {dolfinx.__version__:<9} {their_seconds:8.3f} CPU s, {their_steps} Newton, '
          f'{their_iterations} iterations' + ('' if good else ', NOT CONVERGED'))
    print(f'ratio.flesh.dolfinx {their_seconds / seconds:.1f}, results {1e3 * apart:.3f} mm apart')


main()
