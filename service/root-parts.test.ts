import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, live, local, messages } from '../contract/operations/index.ts'
import { manualWallClock } from '../platform/testing/manual-clock.ts'
import { RtmpTestClient } from './ingest/testing/rtmp-test-client.ts'
import { linkUser } from './link/testing/link-user.ts'
import type { Log } from './log.ts'
import { eventually } from './testing/eventually.ts'
import { httpRequest } from './testing/http-request.ts'
import { startService, testCredentials, type TestService } from './testing/start-service.ts'
import { version } from './version.ts'

const clock = manualWallClock()
const logged: { readonly level: string; readonly fields: object; readonly sentence: string }[] = []
const line = (level: string) => (fields: object, sentence: string) => void logged.push({ level, fields, sentence })
const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
const page = mkdtempSync(join(tmpdir(), 'sidestage-page-'))
const origin = 'http://localhost:5173'
let service: TestService
let cid: string
beforeAll(async () => {
  mkdirSync(join(page, 'assets'))
  writeFileSync(join(page, 'index.html'), '<!doctype html>the page')
  service = await startService({
    clock,
    log,
    timeZone: 'Asia/Shanghai',
    watchDir: page,
    origins: [origin, origin],
    publicHost: 'studio.example',
    plainSignIn: true,
    faults: true,
    copyUrl: 'https://copies.example/here',
  })
  cid = (await service.call(live.create, { name: 'show' })).ret!.cid
})
afterAll(async () => {
  await service.close()
  rmSync(page, { recursive: true, force: true })
})

describe('a service that starts', () => {
  it('is described with its version, begin, zone and folder, to each application with its number', async () => {
    const { ret } = await service.call(local.info, {})
    expect(ret).toMatchObject({
      version,
      startedAt: clock.now(),
      time: clock.now(),
      timeZone: 'Asia/Shanghai',
      dataDir: service.dataDir,
    })
    expect((await service.other.call(local.info, {})).ret!.uid).not.toBe(ret!.uid)
  })

  it('warns of log-ins without TLS and of faults on request, and says that it is ready with its channels', async () => {
    const said = logged.map(({ level, sentence }) => `${level}: ${sentence}`)
    expect(said).toContain(
      'warn: accounts may sign in from the network without TLS: others there can read their tokens',
    )
    expect(said).toContain('warn: fault injection is served: callers can make operations fail')
    const { ready } = service.service
    expect(logged.find(({ sentence }) => sentence === 'the service is ready')).toEqual({
      level: 'info',
      sentence: 'the service is ready',
      fields: { baseUrl: ready.baseUrl, mediaUrl: ready.mediaUrl, rtmpUrl: ready.rtmpUrl, channels: 0 },
    })
  })

  it('copies messages of its own application to the address it was started with, and those of no other', async () => {
    expect((await service.call(local.copyTarget, {})).ret?.url).toBe('https://copies.example/here')
    expect((await service.other.call(local.copyTarget, {})).ret).not.toHaveProperty('url')
  })

  it('makes operations fail on request', async () => {
    await service.call(local.faults, { path: live.list.path, code: 602 })
    expect([(await service.call(live.list, {})).code, (await service.call(live.list, {})).code]).toEqual([602, 200])
  })
})

describe('the media side of a service', () => {
  const get = (path: string, headers: readonly (readonly [string, string])[] = [], host?: string) =>
    httpRequest(`http://127.0.0.1:${service.service.listening.media}${path}`, {
      method: 'GET',
      headers,
      ...(host !== undefined && { host }),
    })

  it('serves the page of a channel from the folder that was named', async () => {
    const { status, text } = await get(`/watch/${cid}`)
    expect([status, text]).toEqual([200, '<!doctype html>the page'])
  })

  it('lets pages of the origins that were named and of the public host read, and no others', async () => {
    const allowed = async (of: string) =>
      (await get(`/watch/${cid}/state`, [['origin', of]])).headers['access-control-allow-origin']
    for (const of of [origin, 'https://studio.example', 'http://studio.example']) expect(await allowed(of)).toBe(of)
    expect(await allowed('https://other.example')).toBeUndefined()
  })

  it('is reached by the public host, which signed calls do not take where nobody names it', async () => {
    expect((await get(`/watch/${cid}/state`, [], 'studio.example')).status).toBe(200)
    expect((await get(`/watch/${cid}/state`, [], 'other.example')).status).toBe(403)
  })
})

describe('a push', () => {
  it('makes its channel be on air, and its end makes it idle again', async () => {
    const { pushUrl } = (await service.call(live.address, { cid })).ret!
    const status = async () => (await service.call(live.state, { cid })).ret!.status
    expect(await status()).toBe(0)
    const client = await RtmpTestClient.open(service.service.listening.rtmp)
    await client.connect()
    expect(await client.ask('publish', pushUrl.slice(pushUrl.lastIndexOf('/') + 1))).toBe('NetStream.Publish.Start')
    await eventually(async () => expect(await status()).not.toBe(0))
    client.close()
    await eventually(async () => expect(await status()).toBe(0))
  })
})

describe('messaging of a service', () => {
  it('reaches an account on the link, and none of a frozen application', async () => {
    await service.call(accounts.create, { accid: 'ann', token: 'secret' })
    await service.call(accounts.create, { accid: 'bob' })
    const ann = linkUser(`ws://127.0.0.1:${service.service.listening.media}/link`, {
      appKey: testCredentials.appKey,
      accid: 'ann',
      token: 'secret',
    })
    await ann.online()
    const send = (msg: string) =>
      service.call(messages.send, { from: 'bob', ope: 0, to: 'ann', type: 0, body: JSON.stringify({ msg }) })
    expect((await send('hello')).code).toBe(200)
    await eventually(() => expect(ann.texts()).toEqual(['hello']))
    await service.call(local.updateSettings, { frozen: true })
    expect((await send('never')).code).toBe(403)
    await expect(ann.request('ping', {})).rejects.toMatchObject({ code: 403 })
    await service.call(local.updateSettings, { frozen: false })
    ann.close()
  })
})

describe('callbacks to this computer', () => {
  it('are allowed by default where all listeners are of this computer alone, and else not', async () => {
    const allowed = async (open: 'media' | 'rtmp' | undefined) => {
      const one = await startService(open ? { [open]: { host: '0.0.0.0', port: 0 } } : {})
      const { ret } = await one.call(local.settings, {})
      await one.close()
      return ret!.localTargets
    }
    expect([await allowed(undefined), await allowed('media'), await allowed('rtmp')]).toEqual([true, false, false])
  })
})
