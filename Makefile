# What developers use; ./demo.sh and ./test.sh call it. The program ends up at build/release/bin/pneuma.
.DEFAULT_GOAL := build
.PHONY: help deps deps-extra build demo studio test prove-persons prove-people prove-slurm prove-hostile prove-mujoco prove-control prove-flesh prove-fit prove-studio prove-notebooks prove-sensitivity hashes bench asan tsan fuzz format lint docs pictures blender-addon install clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SECONDS ?= 60
PNEUMA := build/release/bin/pneuma
SOURCES = git ls-files --cached --others --exclude-standard '*.h' '*.cpp'

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

deps: ## install the packages to build, test, bench, format and fuzz
	scripts/deps.sh test bench develop

deps-extra: ## install Blender and Chromium, judges that some tests skip without
	scripts/deps.sh extra

build/%/build.ninja: CMakePresets.json
	cmake --preset $*

build: build/release/build.ninja ## build the program and the tests
	cmake --build build/release -j $(JOBS)

demo: build/release/build.ninja ## run the main job with no arguments
	cmake --build build/release -j $(JOBS) --target pneuma_cli
	scripts/demo.sh $(PNEUMA)

studio: build/release/build.ninja ## build the studio: build/studio/studio.html, one page for any browser
	cmake --build build/release -j $(JOBS) --target pneuma_cli
	scripts/studio.sh $(PNEUMA)

# Configures again, to find judges that were installed after a demo.
test: ## run every test
	cmake --preset release
	cmake --build build/release -j $(JOBS)
	ctest --test-dir build/release --output-on-failure -j $(JOBS)

prove-persons: build ## what tests show on four persons, on all twelve
	PNEUMA_PROVE=1 build/release/tests/verify_chest_wall
	PNEUMA_PROVE=1 build/release/tests/verify_posture_skin
	PNEUMA_PROVE=1 build/release/tests/verify_anatomy --gtest_filter='Twelve/*:People/SkinMass*'

PEOPLE := --people 72 --seed 7 --trials paper --held-out 0.1667
prove-people: build ## learn from 60 people and test on 12 held out (half an hour; goes on where it stopped)
	$(PNEUMA) population $(PEOPLE) --out out/prove-people/people
	$(PNEUMA) reproduce tsoli2014 $(PEOPLE) --resume --people-folder out/prove-people/people --out out/prove-people/tsoli2014 \
	  $(if $(wildcard ../shared/characters),--characters ../shared/characters --recording ../shared/breath/airflow_01.csv)
	scripts/prove_people.py out/prove-people/tsoli2014 build/release

prove-slurm: build ## eight people through a real Slurm on this machine, two of them killed
	PNEUMA_PROVE=1 build/release/tests/regress_people --gtest_filter='Slurm.*'

prove-hostile: build ## 500 hostile inputs: options, signals, clips, meshes, bodies, environments, places, streams, little memory or disk, spreadsheets, damaged runs, two at once
	tests/regress/hostile/hostile.py $(PNEUMA) --count 500 --seed 7

prove-mujoco: build/release/build.ninja ## a minute of every exported body in Debian's MuJoCo and in the newest: proofs/prove-mujoco.json
	cmake --build build/release -j $(JOBS) --target pneuma_cli verify_body_mjcf
	tests/verify/body_mjcf/prove.py build/release

prove-control: build/release/build.ninja ## all exercises and a minute of varied poses by muscles: proofs/prove-control.json
	cmake --build build/release -j $(JOBS) --target verify_control
	tests/verify/control/prove.py build/release

prove-flesh: build/release/build.ninja ## flesh in poses, gait and breath, coarse and at its default level: proofs/prove-flesh.json
	cmake --build build/release -j $(JOBS) --target pneuma_cli
	JOBS=$(JOBS) tests/verify/flesh/prove.py build/release preview default

prove-studio: studio ## an hour of the studio's session in WebAssembly without growth of memory: proofs/prove-studio.json
	node tests/regress/studio/hour.mjs build/wasm build/studio/body.pnb 60 build/studio/hour.json
	scripts/proof.py prove-studio build/release build/studio/hour.json

prove-notebooks: build ## all five notebooks, with the two that take minutes (own character, flesh)
	cd python/tests && PNEUMA_PROVE=1 PYTHONPATH=../../build/release/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg \
	  PNEUMA_DATA=$(CURDIR)/data /usr/bin/python3 -m unittest -v test_notebooks

prove-sensitivity: build ## how far printed figures of a breath depend on step, mesh and seed: proofs/prove-sensitivity.json
	scripts/prove_sensitivity.py $(PNEUMA)

prove-fit: build/release/build.ninja ## the shared characters and their variants fitted: distances, bones, lengths, lungs: proofs/prove-fit.json
	cmake --build build/release -j $(JOBS) --target measure_fit
	tests/verify/fit/prove.py build/release

hashes: build ## renew scenes/hashes.txt and wasm_hashes.txt, when the physics was meant to change
	PNEUMA_RENEW_HASHES=1 build/release/tests/verify_living --gtest_filter='SceneHashes.*'
	PNEUMA_RENEW_HASHES=1 ctest --test-dir build/release -R 'studio.(build|session)' --output-on-failure

# One that cannot be built or run does not keep the others from it, and is named at the end.
bench: build/bench/build.ninja build/native/build.ninja ## measure; figures go to build/bench.json
	rm -f build/bench/bin/bench_* build/native/bin/bench_*
	-cmake --build build/bench -j $(JOBS) --target benches -- -k 0
	-cmake --build build/native -j $(JOBS) --target benches -- -k 0
	scripts/bench.py

asan: build/asan/build.ninja ## tests under the address and undefined-behaviour sanitizers
	cmake --build build/asan -j $(JOBS) --target tests_unit tests_regress
	ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$(CURDIR)/cmake/lsan.supp:print_suppressions=0 \
	  ctest --test-dir build/asan --output-on-failure -j $(JOBS) -L 'unit|regress'

tsan: build/tsan/build.ninja ## tests under the thread sanitizer
	cmake --build build/tsan -j $(JOBS) --target tests_unit
	TSAN_OPTIONS=suppressions=$(CURDIR)/cmake/tsan.supp \
	  ctest --test-dir build/tsan --output-on-failure -j $(JOBS) -L unit

fuzz: build/fuzz/build.ninja ## run every fuzz target for SECONDS (default 60)
	cmake --build build/fuzz -j $(JOBS) --target fuzz
	scripts/fuzz.sh build/fuzz $(SECONDS)

format: ## settle the layout of all sources
	$(SOURCES) | xargs clang-format -i

lint: ## layout, module order, comments and static checks
	$(SOURCES) | xargs clang-format --dry-run -Werror
	scripts/check_layers.py
	scripts/check_citations.py
	scripts/check_comments.py
	cppcheck --quiet --enable=warning,portability --inline-suppr --error-exitcode=1 -j $(JOBS) \
	  --suppress=internalAstError --suppress=syntaxError -Iinclude src apps

docs: build ## renew the pages that are written by the program itself
	scripts/make_docs.sh $(PNEUMA)

pictures: build ## render the pictures of the body pages again
	scripts/body_pictures.sh $(PNEUMA)
	scripts/stills.sh $(PNEUMA)
	scripts/flesh_pictures.sh $(PNEUMA)

blender-addon: ## pack the Blender add-on with sliders for breath into build/pneuma_breath.zip
	addons/blender/package.py build/pneuma_breath.zip

install: build ## install program, library, headers and the studio under PREFIX
	scripts/studio.sh $(PNEUMA) || [ $$? -eq 77 ]  # without emscripten or npm: all the rest
	cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built
	rm -rf build out
