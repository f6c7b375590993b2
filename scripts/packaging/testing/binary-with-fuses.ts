import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Writes a file that carries a fuse wire as Electron's binaries do: a sentinel, a version, a length, and `0` or `1` for each fuse. */
export function binaryWithFuses(file: string, states: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const wire = [
    Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
    Buffer.from([1, states.length]),
    Buffer.from(states, 'latin1'),
  ]
  writeFileSync(file, Buffer.concat([Buffer.alloc(4096, 0x90), ...wire, Buffer.alloc(4096)]))
}
