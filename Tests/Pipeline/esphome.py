"""The lines of the README for an ESP32 with ESPHome, compiled with stand-ins for what they use of ESPHome (2026)."""

import shutil
import subprocess
from pathlib import Path

STAND_IN = """
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#define ESP_UUID_LEN_16 2
struct esp_bt_uuid_t { uint16_t len; union { uint16_t uuid16; uint32_t uuid32; uint8_t uuid128[16]; } uuid; };
struct ESPBTUUID {
  uint16_t number;
  esp_bt_uuid_t get_uuid() const { esp_bt_uuid_t id; id.len = 2; id.uuid.uuid16 = number; return id; }
};
struct ServiceData { ESPBTUUID uuid; std::vector<uint8_t> data; };
struct ESPBTDevice {
  std::vector<ServiceData> services, manufacturers;
  std::string address_str() const { return "ADDRESS"; }
  int get_rssi() const { return -61; }
  const std::vector<ServiceData> &get_service_datas() const { return services; }
  const std::vector<ServiceData> &get_manufacturer_datas() const { return manufacturers; }
};
namespace mqtt {
struct MQTTClientComponent {
  bool publish(const std::string &topic, const std::string &payload, uint8_t qos = 0, bool retain = false) {
    printf("%s %s\\n", topic.c_str(), payload.c_str());
    return qos == 1 && !retain;
  }
} client, *global_mqtt_client = &client;
}
static void received(const ESPBTDevice &x) {
LAMBDA
}
int main() {
  ESPBTDevice device;
  DATA
  received(device);
}
"""


def published(lines: str, address: str, services: list[tuple[int, bytes]], manufacturers: list[tuple[int, bytes]],
              folder: Path) -> list[tuple[str, bytes]]:
    """Returns what the README's lines publish of an advertisement: topics and payloads."""
    code = lines.split("lambda: |-\n", 1)[1]
    parts = [f"device.{kind}.push_back({{{{{number}}}, {{{', '.join(map(str, data))}}}}});"
             for kind, found in (("services", services), ("manufacturers", manufacturers)) for number, data in found]
    source, program = folder / "lambda.cpp", folder / "lambda"
    source.write_text(STAND_IN.replace("LAMBDA", code).replace("DATA", "\n  ".join(parts)).replace("ADDRESS", address))
    compiler = shutil.which("clang++") or shutil.which("c++")
    assert compiler, "no C++ compiler: the one that comes with Swift is called clang++"
    subprocess.run([compiler, "-std=c++20", "-Wall", "-Werror", "-Wno-missing-braces", "-o", program, source], check=True)
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    return [(topic, payload.encode()) for topic, payload in (line.split(" ", 1) for line in done.stdout.splitlines())]
