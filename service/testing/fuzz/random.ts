/** Pseudo-random numbers from a seed (xorshift32), for reproducible inputs. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 0x9e3779b9) >>> 0 || 1
  }

  /** An integer from 0 to below - 1. */
  below(limit: number): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state >>> 0
    return this.#state % limit
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }
  bytes(length: number): Buffer {
    return Buffer.from(Uint8Array.from({ length }, () => this.below(256)))
  }
}

const telling = [0, 1, 2, 3, 7, 8, 9, 0x0a, 0x7f, 0x80, 0xc0, 0xfe, 0xff]

/** A copy of `seed` with bytes changed, cut, doubled or inserted; at most 4 KiB longer. */
export function mutate(seed: Buffer, random: SeededRandom): Buffer {
  let bytes = Buffer.from(seed)
  for (let count = random.below(6); count >= 0; count--) {
    if (bytes.length === 0) return random.bytes(random.below(32))
    const at = random.below(bytes.length)
    switch (random.below(7)) {
      case 0:
        bytes[at] = random.below(256)
        break
      case 1:
        bytes[at] = random.pick(telling)
        break
      case 2:
        bytes[at]! ^= 1 << random.below(8)
        break
      case 3:
        bytes = bytes.subarray(0, at)
        break
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), random.bytes(random.below(8)), bytes.subarray(at)])
        break
      case 5:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          bytes.subarray(Math.max(0, at - random.below(40)), at),
          bytes.subarray(at),
        ])
        break
      case 6:
        for (let end = Math.min(bytes.length, at + 4); end > at; end--) bytes[end - 1] = random.pick([0, 0xff])
        break
    }
  }
  return bytes
}
