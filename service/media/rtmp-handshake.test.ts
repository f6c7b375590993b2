import { expect, test } from 'vitest'
import { ServerHandshake, handshakeLength } from './rtmp-handshake.ts'
import { RtmpFault } from './rtmp-message.ts'

const first = Buffer.concat([
  Buffer.from([3]),
  Buffer.from(Uint8Array.from({ length: handshakeLength }, (_, index) => index)),
])
test.each([1, 100, 5000])(
  'S0, S1 and S2 answer C0 and C1, and nothing of what follows C2 is taken (pieces of %d)',
  (piece) => {
    const answers: Buffer[] = []
    const handshake = new ServerHandshake(
      (bytes) => answers.push(bytes),
      (length) => Buffer.alloc(length, 5),
    )
    const all = Buffer.concat([first, Buffer.alloc(handshakeLength, 1), Buffer.from('chunks')])
    let used = 0
    for (let at = 0; at < all.length && !handshake.done; at += piece)
      used += handshake.push(all.subarray(at, at + piece))
    expect(handshake.done).toBe(true)
    expect(used).toBe(1 + 2 * handshakeLength)
    expect(answers).toHaveLength(1)
    expect(answers[0]).toHaveLength(1 + 2 * handshakeLength)
    expect(answers[0]?.[0]).toBe(3)
    // Zeros in place of a digest's version.
    expect(answers[0]?.subarray(1, 9)).toEqual(Buffer.alloc(8))
    expect(answers[0]?.subarray(1 + handshakeLength)).toEqual(first.subarray(1))
  },
)

test.each([0, 6, 0x47, 0x16])('version byte %d is refused at once', (version) => {
  expect(() =>
    new ServerHandshake(
      () => undefined,
      (length) => Buffer.alloc(length),
    ).push(Buffer.from([version])),
  ).toThrow(RtmpFault)
})

test('S1 is random after its zeros, and comes only after the whole of C1; C2 is taken whatever it says', () => {
  const answers: Buffer[] = []
  const asked: number[] = []
  const handshake = new ServerHandshake(
    (bytes) => answers.push(bytes),
    (length) => {
      asked.push(length)
      return Buffer.alloc(length, 5)
    },
  )
  expect(handshake.push(first.subarray(0, -1))).toBe(handshakeLength)
  expect([answers.length, handshake.done]).toEqual([0, false])
  expect(handshake.push(first.subarray(-1))).toBe(1)
  expect([answers.length, handshake.done, asked]).toEqual([1, false, [handshakeLength - 8]])
  expect(answers[0]!.subarray(9, 1 + handshakeLength)).toEqual(Buffer.alloc(handshakeLength - 8, 5))
  expect(handshake.push(Buffer.alloc(handshakeLength - 1, 9))).toBe(handshakeLength - 1)
  expect(handshake.done).toBe(false)
  expect(handshake.push(Buffer.alloc(3))).toBe(1)
  expect(handshake.done).toBe(true)
  expect(handshake.push(Buffer.alloc(3))).toBe(0)
})
