#pragma once

#include <embree3/rtcore.h>

#include <new>

#include "pneuma/core/check.h"

namespace pneuma {

/// Embree tells by a code of the device that memory was short and goes on with half a scene; here
/// that is std::bad_alloc, as everywhere else. Null: what kept the last device from being made.
inline void checkEmbreeMemory(RTCDevice device) {
  if (rtcGetDeviceError(device) == RTC_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
}

inline RTCDevice newEmbreeDevice(const char* configuration) {
  const RTCDevice device = rtcNewDevice(configuration);
  if (device == nullptr) checkEmbreeMemory(nullptr);
  PNEUMA_CHECK(device != nullptr, "Embree gave no device");
  return device;
}

}  // namespace pneuma
