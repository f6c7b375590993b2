import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local } from '../contract/operations/index.ts'
import type { FromService, ServiceChoices, ToService } from '../contract/service-process.ts'
import { listenOn } from '../platform/listen.ts'
import { until } from './testing/condition.ts'
import { readEvents } from './testing/event-reader.ts'
import { signedClient } from './testing/signed-client.ts'
import { promised } from './testing/machine-pace.ts'

const entry = fileURLToPath(new URL('child.ts', import.meta.url))
const credentials = { appKey: 'channel-key', appSecret: 'channel-secret-9b2c' }
let dir: string
let child: ChildProcess
let output: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-child-'))
  output = ''
  child = fork(entry, [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
    env: { PATH: process.env.PATH ?? '' },
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
})
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(dir, { recursive: true, force: true })
})

const anyPort = { host: '127.0.0.1', port: 0 }
const choices = (): ServiceChoices => ({ dataDir: dir, api: anyPort, media: anyPort, rtmp: anyPort })
const send = (message: ToService): void => void child.send(message)
/** The next message except heartbeats. */
const next = async (): Promise<FromService> => {
  for (;;) {
    const [message] = (await once(child, 'message')) as [FromService]
    if (message.type !== 'beat') return message
  }
}
const started = async (): Promise<FromService & { type: 'ready' }> => {
  send({ type: 'start', choices: choices(), credentials })
  const message = await next()
  if (message.type !== 'ready') throw new Error(JSON.stringify(message))
  return message
}

describe('the service under a process channel', () => {
  it('starts with the credentials of the channel, and stops when asked', async () => {
    const { ready, notes } = await started()
    expect([ready.appKey, notes]).toEqual([credentials.appKey, []])
    expect((await signedClient(ready.baseUrl, credentials).call(local.info, {})).ret?.dataDir).toBe(dir)
    const exit = once(child, 'exit')
    send({ type: 'stop' })
    expect(await next()).toEqual({ type: 'stopped' })
    expect((await exit)[0]).toBe(0)
    expect(output).not.toContain(credentials.appSecret)
  })

  it('says every second that its event loop turns, with the media that came', async () => {
    await started()
    const beats: FromService[] = []
    child.on('message', (message: FromService) => beats.push(message))
    await until('two beats', () => beats.length >= 2)
    expect(beats.slice(0, 2)).toEqual([
      { type: 'beat', media: 0 },
      { type: 'beat', media: 0 },
    ])
  })

  it('says why it cannot start, and ends', async () => {
    const exit = once(child, 'exit')
    send({ type: 'start', choices: { ...choices(), api: { host: '0.0.0.0', port: 0 } }, credentials })
    expect(await next()).toMatchObject({
      type: 'failed',
      reason: { code: 'failed', params: { system: expect.stringContaining('without TLS') as string } },
    })
    expect((await exit)[0]).toBe(1)
  })

  it.each([{ minute: 100 }, { lookEvery: 5 }, null])('refuses to record as %j', async (recording) => {
    const exit = once(child, 'exit')
    send({ type: 'start', choices: { ...choices(), recording: recording as object }, credentials })
    expect(await next()).toEqual({
      type: 'failed',
      reason: { code: 'failed', params: { system: 'what the process channel says of recording is not in its range' } },
    })
    expect((await exit)[0]).toBe(1)
  })

  it('ends by itself when the program that started it is gone, also while callers listen', async () => {
    const { ready } = await started()
    const client = signedClient(ready.baseUrl, credentials)
    await client.call(live.create, { name: 'a' })
    const reader = await readEvents(ready.baseUrl, client.sign())
    await reader.next('snapshot')
    await promised(5000, async () => {
      const exit = once(child, 'exit')
      child.disconnect()
      expect((await exit)[0]).toBe(0)
      await reader.ended
    })
  })

  it('ignores what is no message of the channel', async () => {
    for (const message of [null, 'start', 5, [], { type: 'other' }, {}]) child.send(message as unknown as ToService)
    expect((await started()).type).toBe('ready')
  })

  it('has the same owner with a new pair: data hang on the application', async () => {
    const client = signedClient((await started()).ready.baseUrl, credentials)
    const { uid } = (await client.call(local.info, {})).ret!
    await client.call(live.create, { name: 'a' })
    send({ type: 'stop' })
    await once(child, 'exit')
    child = fork(entry, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] })
    const other = { appKey: 'new-key', appSecret: 'new-secret' }
    send({ type: 'start', choices: choices(), credentials: other })
    const message = await next()
    if (message.type !== 'ready') throw new Error(JSON.stringify(message))
    const renewed = signedClient(message.ready.baseUrl, other)
    expect((await renewed.call(local.info, {})).ret?.uid).toBe(uid)
    expect((await renewed.call(live.list, {})).ret?.list.map(({ name }) => name)).toEqual(['a'])
    expect((await signedClient(message.ready.baseUrl, credentials).call(live.list, {})).code).toBe(409)
  })

  it('starts once, whatever is asked of it later', async () => {
    await started()
    send({ type: 'start', choices: { ...choices(), dataDir: join(dir, 'other') }, credentials })
    send({ type: 'stop' })
    expect(await next()).toEqual({ type: 'stopped' })
    expect(existsSync(join(dir, 'other'))).toBe(false)
  })

  it('that was not started stops when asked', async () => {
    const exit = once(child, 'exit')
    send({ type: 'stop' })
    expect(await next()).toEqual({ type: 'stopped' })
    expect((await exit)[0]).toBe(0)
  })

  it('asks what becomes of a damaged database, with its copies, and starts as somebody decided', async () => {
    const garbage = Buffer.alloc(8192, 'no database ')
    writeFileSync(join(dir, 'sidestage.db'), garbage)
    mkdirSync(join(dir, 'copies'))
    writeFileSync(join(dir, 'copies', 'sidestage-2026-06-01T12-00-00Z.db'), 'x')
    const exit = once(child, 'exit')
    send({ type: 'start', choices: choices(), credentials })
    expect(await next()).toEqual({
      type: 'failed',
      reason: { code: 'database', params: {} },
      database: {
        kind: 'damaged',
        detail: 'file is not a database',
        copies: [{ name: 'sidestage-2026-06-01T12-00-00Z.db', at: Date.UTC(2026, 5, 1, 12), bytes: 1 }],
      },
    })
    expect((await exit)[0]).toBe(1)
    expect(readFileSync(join(dir, 'sidestage.db'))).toEqual(garbage)
    child = fork(entry, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] })
    send({ type: 'start', choices: { ...choices(), recovery: { copy: null } }, credentials })
    expect((await next()).type).toBe('ready')
  })

  it('names the folder that cannot hold its data, and why', async () => {
    writeFileSync(join(dir, 'file'), '')
    const folder = join(dir, 'file', 'data')
    send({ type: 'start', choices: { ...choices(), dataDir: folder }, credentials })
    expect(await next()).toEqual({
      type: 'failed',
      reason: { code: 'notAFolder', params: { folder, system: expect.stringContaining('ENOTDIR') as string } },
    })
  })

  it('tells its parent its own addresses where others are public, and the ports that were taken', async () => {
    const holder = createServer()
    const wanted = await listenOn(holder, '127.0.0.1', 0)
    send({
      type: 'start',
      choices: { ...choices(), api: { host: '127.0.0.1', port: wanted }, publicHost: 'studio.example' },
      credentials,
    })
    const message = await next()
    holder.close()
    if (message.type !== 'ready') throw new Error(JSON.stringify(message))
    expect(new URL(message.ready.mediaUrl).hostname).toBe('127.0.0.1')
    expect(message.notes).toMatchObject([
      { listener: 'api', wanted, used: Number(new URL(message.ready.baseUrl).port) },
    ])
  })

  /** A program that gives the child the channel of an Electron utility process over the channel of the test. */
  const electron = `data:text/javascript,${encodeURIComponent(`
    const closers = [], listeners = []
    process.parentPort = {
      on: (event, listener) => void (event === 'close' ? closers : listeners).push(listener),
      postMessage: (message) => process.send({ posted: message }),
    }
    process.on('message', (message) => {
      if (message === 'close') for (const each of closers) each()
      else for (const each of listeners) each({ data: message })
    })`)}`

  it('speaks the channel of Electron where it has that, and ends when it closes', async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    child = fork(entry, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: ['--import', electron] })
    const posted = async (): Promise<FromService> => {
      for (;;) {
        const [{ posted: message }] = (await once(child, 'message')) as [{ readonly posted: FromService }]
        if (message.type !== 'beat') return message
      }
    }
    send({ type: 'start', choices: choices(), credentials })
    expect(await posted()).toMatchObject({ type: 'ready', ready: { appKey: credentials.appKey } })
    const exit = once(child, 'exit')
    child.send('close')
    expect((await exit)[0]).toBe(0)
  })
})
