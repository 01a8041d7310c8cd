// Prints the hash of the program as WebAssembly: node run.mjs pose-hash.wasm
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
console.log(BigInt.asUintN(64, instance.exports.pose_hash()).toString(16).padStart(16, "0"));
