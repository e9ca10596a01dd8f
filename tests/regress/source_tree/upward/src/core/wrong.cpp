#include "pneuma/render/scene.h"
