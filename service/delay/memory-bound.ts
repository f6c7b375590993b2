import type { MediaPacket } from '../timeline/packet.ts'
import type { MediaQueue } from './media-queue.ts'

/** Bytes in memory beyond which media that no disk takes is left out. */
const mostWithoutDisk = 96 * 1024 * 1024

/** Bounds the media of a queue that no disk takes: without one nothing is sent before its time, so some is left out. */
export class MemoryBound {
  #isLeavingOut = false

  /** Whether a packet is left out; `begins`: what follows can be shown from it on. `missing` is called at the first. */
  leavesOut(
    packet: MediaPacket,
    { isFaulty, memory }: Pick<MediaQueue, 'isFaulty' | 'memory'>,
    begins: boolean,
    missing: () => void,
  ): boolean {
    if (!isFaulty) return this.forget()
    if (!this.#isLeavingOut && memory > mostWithoutDisk) {
      this.#isLeavingOut = true
      missing()
    } else if (this.#isLeavingOut && memory < mostWithoutDisk / 2 && begins) this.#isLeavingOut = false
    // Configurations are small, and bounded all the same.
    return this.#isLeavingOut && (!packet.configuration || memory > 2 * mostWithoutDisk)
  }

  /** Nothing is bounded now. */
  forget(): false {
    return (this.#isLeavingOut = false)
  }
}
