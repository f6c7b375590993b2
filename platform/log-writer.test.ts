import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createLogWriter, type LogSink } from './log-writer.ts'

/** A sink whose writes a test completes. */
function slowSink() {
  const taken: string[] = []
  const waiting: ((error?: Error) => void)[] = []
  const sink: LogSink = {
    write: (bytes, done) => {
      taken.push(bytes.toString())
      waiting.push(done)
    },
    writeNow: () => {
      throw Object.assign(new Error('not now'), { code: 'EAGAIN' })
    },
  }
  return { sink, taken, next: (error?: Error) => waiting.shift()!(error) }
}
const missed = (lines: number): string => `${lines} lines were not written\n`

it('keeps no more than its bound while nobody takes anything, and says afterwards how many lines are missing', () => {
  const { sink, taken, next } = slowSink()
  const writer = createLogWriter(sink, missed, 1000)
  for (let line = 0; line < 100_000; line++) writer.write(`${'x'.repeat(99)}\n`)
  expect(taken).toHaveLength(1)
  next()
  expect(taken).toHaveLength(2)
  expect(taken[1]!.split('\n').length - 2).toBe(9)
  expect(taken[1]).toContain('99990 lines were not written\n')
  next()
  writer.write('after\n')
  expect(taken.at(-1)).toBe('after\n')
})

it.each(['EPIPE', 'ENOSPC', 'EAGAIN'])('survives %s, and counts what was lost', async (code) => {
  const { sink, taken, next } = slowSink()
  const writer = createLogWriter(sink, missed)
  writer.write('one\ntwo\n')
  next(Object.assign(new Error(code), { code }))
  writer.write('three\n')
  await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(2)
  expect(taken[1]).toBe('three\n2 lines were not written\n')
})

it('ends in time although nobody takes anything', async () => {
  const { sink } = slowSink()
  const writer = createLogWriter(sink, missed)
  writer.write('one\n')
  await writer.flush(1)
  writer.write('two\n')
  writer.finish()
})

it('lets go of everything in a process without a standard error, as a program with windows has none on Windows', async () => {
  const script = `
    import { closeSync } from 'node:fs'
    import { createLogWriter, standardError } from ${JSON.stringify(new URL('log-writer.ts', import.meta.url).href)}
    closeSync(2)
    const writer = createLogWriter(standardError(), () => 'missed')
    writer.write('nobody reads this')
    await writer.flush(60_000)
    writer.finish()
    console.log('still there')
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  expect(stdout.trim()).toBe('still there')
})
