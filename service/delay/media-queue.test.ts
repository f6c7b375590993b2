import { expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { MediaQueue, queueMemory } from './media-queue.ts'
import type { SegmentFiles } from './segment-file.ts'

const mebibyte = 1024 * 1024

/** Files in memory. */
function files(): SegmentFiles & { readonly all: Map<string, Buffer> } {
  const all = new Map<string, Buffer>()
  return {
    all,
    async write(name, bytes) {
      all.set(name, Buffer.from(bytes))
    },
    read: (name) => Promise.resolve(all.get(name)!),
    async remove(name) {
      all.delete(name)
    },
  }
}

it('reads ahead by bytes as well as by time, so that media of a high rate takes no more memory', async () => {
  const { partBytes, aheadBytes, keptBytes } = queueMemory
  const disk = files()
  const failures: unknown[] = []
  const queue = new MediaQueue('q', disk, (error) => failures.push(error))
  queue.usesDisk = true
  // 20 MiB within 2 s.
  const count = 200
  const body = Buffer.alloc(mebibyte / 10)
  for (let index = 0; index < count; index++) {
    const at = index * 10
    const packet: MediaPacket = {
      kind: 'video',
      timestamp: at,
      body,
      keyFrame: index % 50 === 0,
      configuration: false,
      arrived: at,
    }
    queue.push(packet, at)
  }
  await eventually(() => expect(queue.memory).toBeLessThanOrEqual(keptBytes + 2 * partBytes))
  expect(disk.all.size * partBytes).toBeGreaterThan(15 * mebibyte)
  const taken: number[] = []
  let most = 0
  while (taken.length < count) {
    await eventually(() => expect(queue.peek()).toBeDefined())
    taken.push(queue.peek()!.packet.timestamp)
    queue.take()
    // What was asked for is read.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, queue.memory)
  }
  expect(taken).toEqual(Array.from({ length: count }, (_, index) => index * 10))
  // What is next, what was read last, and what is not written yet.
  expect(most).toBeLessThanOrEqual(keptBytes + aheadBytes + 3 * partBytes)
  expect([queue.isEmpty, failures]).toEqual([true, []])
  await queue.close()
  expect(disk.all.size).toBe(0)
})
