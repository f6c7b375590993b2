import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { linesOf } from './lines.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

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

it('throws for a first line over 8 MiB and a later one over 256 KiB, and takes those of just as much', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024)
  const eight = Array.from({ length: 8 }, () => mebibyte)
  const quarter = 'y'.repeat(256 * 1024)
  const lines = await read(...eight, '\n', quarter, '\n', 'z\n', quarter, '\n')
  expect(lines.map(({ length }) => length)).toEqual([8 << 20, 256 << 10, 1, 256 << 10])
  await expect(read(...eight, 'x', '\n')).rejects.toThrow('too long')
  await expect(read('first\n', `${quarter}y\n`).then(({ length }) => length)).rejects.toThrow('too long')
})

it('needs no more for a line that comes in parts of a byte than for one that comes whole', async () => {
  const part = Buffer.from('x')
  const letters = 500_000
  let most = 0
  const used = (): number => {
    gc()
    return process.memoryUsage().heapUsed
  }
  async function* parts(): AsyncGenerator<Buffer> {
    const before = used()
    for (let count = 0; count < letters; count++) {
      // What was passed on is free for collection in the next turn only.
      if (count % 5_000 === 0) await setImmediate()
      yield part
    }
    await setImmediate()
    most = used() - before
    yield Buffer.from('\n')
  }
  const lines: number[] = []
  for await (const line of linesOf(Readable.from(parts()))) lines.push(line.length)
  expect(lines).toEqual([letters])
  expect(most).toBeLessThan(20_000_000)
})
