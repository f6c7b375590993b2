/** Reads bits of a NAL unit (ISO/IEC 14496-10 7.2, 9.1) without emulation prevention; zeros past its end. */
export class BitReader {
  readonly #bytes: Buffer
  #at: number
  #left = 8
  #zeros = 0
  /** Read past the end, or a number over 32 bits: results are invalid. */
  exhausted = false

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes
    this.#at = from
  }

  bit(): 0 | 1 {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) {
      this.exhausted = true
      return 0
    }
    this.#left -= 1
    const bit = (byte >> this.#left) & 1
    if (this.#left === 0) this.#next(byte)
    return bit as 0 | 1
  }

  /** ue(v). */
  unsigned(): number {
    let zeros = 0
    while (!this.exhausted && this.bit() === 0) zeros += 1
    if (zeros > 31) this.exhausted = true
    if (this.exhausted) return 0
    let value = 1
    for (let index = 0; index < zeros; index++) value = value * 2 + this.bit()
    return value - 1
  }

  /** se(v). */
  signed(): number {
    const code = this.unsigned()
    return code & 1 ? (code + 1) / 2 : -code / 2
  }

  #next(byte: number): void {
    this.#zeros = byte === 0 ? this.#zeros + 1 : 0
    this.#at += 1
    this.#left = 8
    if (this.#zeros >= 2 && this.#bytes[this.#at] === 3) {
      this.#at += 1
      this.#zeros = 0
    }
  }
}
