import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { sendInPieces } from './send-in-pieces.ts'

it('a piece counts as it is given, also where the peer breaks off before the system took it whole', () => {
  const taken: ((error?: Error) => void)[] = []
  const answer = { write: (_piece: Buffer, done: () => void) => taken.push(done), end: () => undefined }
  let given = 0
  const counts = (bytes: number): void => void (given += bytes)
  sendInPieces(answer as unknown as ServerResponse, Buffer.alloc(200 * 1024), counts)
  expect(given).toBe(128 * 1024)
  taken.pop()!()
  expect(given).toBe(200 * 1024)
  sendInPieces(answer as unknown as ServerResponse, Buffer.alloc(1000 * 1024), counts)
  taken.pop()!(new Error('the connection was reset'))
  expect([given, taken.length]).toEqual([328 * 1024, 1])
})
