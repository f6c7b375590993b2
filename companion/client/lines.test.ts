import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { linesOf } from './lines.ts'

const read = async (...parts: (string | Buffer)[]): Promise<string[]> => {
  const lines: string[] = []
  for await (const line of linesOf(Readable.from(parts.map((part) => Buffer.from(part))))) lines.push(line)
  return lines
}

it('splits a body into its lines, wherever its parts are cut, without empty ones', async () => {
  expect(await read('one\ntwo\n\nth', 're', 'e\n', 'unfinished')).toEqual(['one', 'two', 'three'])
  const text = Buffer.from('录像\n')
  expect(await read(text.subarray(0, 2), text.subarray(2))).toEqual(['录像'])
  expect(await read()).toEqual([])
})

it('throws for a line over 8 MiB, and takes one of 8 MiB', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024)
  const eight = Array.from({ length: 8 }, () => mebibyte)
  expect((await read(...eight, '\n', ...eight, '\n')).map(({ length }) => length)).toEqual([8 << 20, 8 << 20])
  await expect(read(...eight, 'x', '\n')).rejects.toThrow('too long')
})
