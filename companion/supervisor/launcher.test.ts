import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { FromService } from '../../contract/service-process.ts'
import { cutMark } from '../../platform/cut-text.ts'
import { scratch, until } from '../testing/rig.ts'
import { eachLine, isFromService, nodeLauncher, serviceEnvironment } from './launcher.ts'

/** How a process that does this ended. */
async function endOf(code: string, then: (kill: () => void) => void = () => undefined): Promise<ReasonOf<'service'>> {
  using folder = scratch()
  const entry = path.join(folder.dir, 'child.mjs')
  writeFileSync(entry, code)
  const child = nodeLauncher(entry)()
  let how: ReasonOf<'service'> | undefined
  child.onExit((told) => {
    how = told
  })
  then(() => child.kill())
  return await until('its end', () => how ?? false)
}

it('says how a process ended', async () => {
  expect(await endOf('process.exit(3)')).toEqual({ code: 'exited', params: { status: '3' } })
  // Windows knows no signals: a process that is ended there has a code.
  expect([
    { code: 'killed', params: { signal: 'SIGKILL' } },
    { code: 'exited', params: { status: expect.stringMatching(/^\d+$/) as string } },
  ]).toContainEqual(await endOf('setInterval(() => undefined, 1000)', (kill) => kill()))
})

it('gives the service only what a process needs to run, and few heaps of the system’s own', () => {
  const own = { PATH: '/bin', SIDESTAGE_APP_SECRET: 'secret', SSH_AUTH_SOCK: '/run/agent', MALLOC_ARENA_MAX: '8' }
  expect(serviceEnvironment(own)).toEqual({
    PATH: '/bin',
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  })
})

it('hears of a service only what its messages may be, and every line that it prints', async () => {
  using folder = scratch()
  const entry = path.join(folder.dir, 'child.mjs')
  writeFileSync(
    entry,
    `process.on('message', (message) => {
      console.log('told ' + JSON.stringify(message))
      console.error('on the other stream')
      const none = [{ type: 'none' }, 'ready', null, { type: 'beat' }, { type: 'beat', media: 3 }]
      for (const one of none) process.send(one)
      process.send({ type: 'stopped' }, () => process.disconnect())
    })`,
  )
  const child = nodeLauncher(entry)()
  const [messages, lines]: [FromService[], string[]] = [[], []]
  let isGone = false
  child.onMessage((message) => messages.push(message))
  child.onLine((line) => lines.push(line))
  child.onExit(() => (isGone = true))
  expect(child.pid).toBeGreaterThan(0)
  child.send({ type: 'stop' })
  await until('its end', () => isGone && lines.length === 2)
  expect(messages).toEqual([{ type: 'beat', media: 3 }, { type: 'stopped' }])
  expect(lines.toSorted()).toEqual(['on the other stream', 'told {"type":"stop"}'])
  // Nobody hears it any more.
  child.send({ type: 'stop' })
})

it('says that a process could not be started', async () => {
  const child = nodeLauncher('/nowhere/child.mjs', { execPath: '/nowhere/node' })()
  let how: ReasonOf<'service'> | undefined
  child.onExit((told) => (how = told))
  expect(await until('its end', () => how)).toMatchObject({ code: 'notStarted' })
})

it.each([
  [{ type: 'ready' }, true],
  [{ type: 'failed' }, true],
  [{ type: 'stopped' }, true],
  [{ type: 'beat', media: 0 }, true],
  [{ type: 'beat' }, false],
  [{ type: 'start' }, false],
  ['ready', false],
  [null, false],
])('takes %j for a message of the service: %s', (value, isOne) => {
  expect(isFromService(value)).toBe(isOne)
})

it('makes lines of what comes in pieces, leaves out empty ones, and cuts what is too long', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  eachLine(stream, (line) => lines.push(line))
  stream.write('one\ntw')
  stream.write('o\n\nthree')
  stream.write('\n')
  stream.write('x'.repeat(3_000))
  stream.write(`${'x'.repeat(3_000)}\nlast\nwithout an end`)
  await until('the last', () => lines.includes('last'))
  expect(lines.slice(0, 3)).toEqual(['one', 'two', 'three'])
  expect(lines[3]!.length).toBeLessThanOrEqual(4_000)
  expect(lines.slice(4)).toEqual(['last'])
})

it('passes on the variables of folders, language and time of every system, whatever their case', () => {
  const passed = {
    Path: 'a',
    HOME: 'b',
    LC_ALL: 'c',
    TZ: 'd',
    TMPDIR: 'e',
    SystemRoot: 'f',
    APPDATA: 'g',
    NODE_EXTRA_CA_CERTS: 'h',
  }
  expect(serviceEnvironment({ ...passed, NODE_OPTIONS: '--inspect', MY_PATH: 'x' })).toMatchObject(passed)
  expect(Object.keys(serviceEnvironment({ NODE_OPTIONS: '--inspect', MY_PATH: 'x' }))).toHaveLength(3)
})

it('hears a line of 4,000 characters whole, and of a longer one 4,000 with the mark that it was cut', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  eachLine(stream, (line) => lines.push(line))
  for (const length of [4_000, 4_001, 9_000]) {
    stream.write('x'.repeat(length - 1))
    stream.write('x\n')
  }
  await until('all lines', () => lines.length === 3)
  const cut = `${'x'.repeat(4_000 - cutMark.length)}${cutMark}`
  expect(lines).toEqual(['x'.repeat(4_000), cut, cut])
})
