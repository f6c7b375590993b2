import { manualWallClock } from '../platform/testing/manual-clock.ts'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local } from '../contract/operations/index.ts'
import type { Log } from './log.ts'
import { createLog } from './log.ts'
import { startService, testCredentials, type TestService } from './testing/start-service.ts'
import { promised } from './testing/machine-pace.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const refused = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })

describe('a service', () => {
  it('says where it is reached, and answers there', async () => {
    const { ready, addresses, notes } = service.service
    expect(ready).toEqual({
      event: 'ready',
      appKey: testCredentials.appKey,
      baseUrl: addresses.api,
      imBaseUrl: `${addresses.api}/nimserver`,
      mediaUrl: addresses.media,
      rtmpUrl: addresses.rtmp,
      linkUrl: `${addresses.media.replace('http:', 'ws:')}/link`,
    })
    expect(notes).toEqual([])
    const info = await service.call(local.info, {})
    expect(info.ret?.listeners.map(({ name, address, port }) => [name, address, String(port)])).toEqual([
      ['api', '127.0.0.1', new URL(ready.baseUrl).port],
      ['media', '127.0.0.1', new URL(ready.mediaUrl).port],
      ['rtmp', '127.0.0.1', new URL(ready.rtmpUrl).port],
    ])
  })

  it('shares nothing with another one in the same process', async () => {
    const other = await startService({ credentials: { appKey: 'k2', appSecret: 's2' }, applications: [] })
    const { ret } = await service.call(live.create, { name: 'same' })
    expect((await other.call(live.create, { name: 'same' })).code).toBe(200)
    expect((await other.call(live.state, { cid: ret!.cid })).code).toBe(602)
    expect((await other.send(live.list, {}, Object.entries(service.sign()))).code).toBe(409)
    await other.close()
    expect((await service.call(live.state, { cid: ret!.cid })).code).toBe(200)
  })

  it('keeps channels, states, names, owners and addresses over a restart, wherever it listens then', async () => {
    const [a, b] = [
      (await service.call(live.create, { name: 'a' })).ret!,
      (await service.call(live.create, { name: 'b' })).ret!,
    ]
    const foreign = (await service.other.call(live.create, { name: 'a' })).ret!
    await service.call(live.pause, { cid: b.cid })
    await service.call(live.update, { cid: a.cid, name: 'c' })
    const before = (await service.call(live.list, {})).ret
    await service.stop()
    const again = await startService({ dataDir: service.dataDir, publicHost: 'studio.example' })
    expect((await again.call(live.list, {})).ret).toEqual(before)
    expect((await again.call(live.state, { cid: foreign.cid })).code).toBe(617)
    expect((await again.call(live.create, { name: 'c' })).code).toBe(611)
    const { pushUrl } = (await again.call(live.address, { cid: a.cid })).ret!
    expect(pushUrl.split('/live/')[1]).toBe(a.pushUrl.split('/live/')[1])
    expect(new URL(pushUrl).host).toBe(`studio.example:${new URL(again.service.addresses.rtmp).port}`)
    await again.stop()
  })

  it('refuses a data directory that another one has, and leaves nothing behind', async () => {
    await expect(startService({ dataDir: service.dataDir })).rejects.toThrow(/is in use by another service/)
    expect((await service.call(live.list, {})).code).toBe(200)
    await service.stop()
    const again = await startService({ dataDir: service.dataDir })
    await again.stop()
  })

  it('gives its ports and its directory back when it cannot start', async () => {
    const { dataDir } = service
    await service.stop()
    const rtmp = { host: '203.0.113.7', port: 0 }
    const told = '203.0.113.7 (--bind-rtmp) is not an address of this computer'
    await expect(startService({ dataDir, rtmp })).rejects.toThrow(told)
    const again = await startService({ dataDir })
    await again.stop()
  })

  it('closes within 5 s under callers that hold on, twice without harm, and every port is free', async () => {
    const { addresses } = service.service
    const sockets = await Promise.all(
      [addresses.api, addresses.media, addresses.rtmp].map(
        (url) =>
          new Promise<Socket>((resolve) => {
            const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket)).on(
              'error',
              () => undefined,
            )
          }),
      ),
    )
    sockets[0]!.write(
      `POST ${live.create.path} HTTP/1.1\r\nHost: ${new URL(addresses.api).host}\r\nContent-Length: 100\r\n\r\n{`,
    )
    await promised(5000, () => Promise.all([service.stop(), service.stop()]))
    for (const url of Object.values(addresses)) expect(await refused(url), url).toBe(true)
    for (const socket of sockets) socket.destroy()
  })

  it('stops accepting everywhere at once, while answers of one listener may still finish', async () => {
    const { addresses } = service.service
    const came: string[] = []
    // Incomplete bodies, for which the listeners wait.
    const hold = async (url: string, path: string): Promise<{ readonly ended: Promise<unknown> }> => {
      const { host, hostname, port } = new URL(url)
      const slow = connect(Number(port), hostname).on('error', () => undefined)
      slow.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 50\r\n\r\n`)
      const [line] = (await once(slow, 'data')) as [Buffer]
      expect(line.toString()).toContain('100 Continue')
      return { ended: once(slow, 'close').then(() => came.push('ended')) }
    }
    const held = [
      await hold(addresses.api, live.create.path),
      await hold(addresses.media, `/watch/${'0'.repeat(32)}/guest`),
    ]
    const stopped = service.stop()
    while (!(await refused(addresses.rtmp)));
    came.push('refused')
    await Promise.all([stopped, ...held.map(({ ended }) => ended)])
    expect(came).toEqual(['refused', 'ended', 'ended'])
  })
})

describe('the log of a service', () => {
  it('has request ids, and no secret even where one is handed to it', async () => {
    const lines: string[] = []
    const log: Log = createLog({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } })
    const credentials = { appKey: 'canary-key', appSecret: 'canary-secret-51c7' }
    const logged = await startService({ log, credentials, clock: manualWallClock() })
    const { ret } = await logged.call(live.create, { name: 'a' })
    const { pushUrl } = (await logged.call(local.replaceKey, { cid: ret!.cid })).ret!
    await logged.call(live.state, { cid: 'unknown' })
    await logged.send(live.state, {}, [['CheckSum', '0'.repeat(40)]])
    rmSync(logged.dataDir, { recursive: true })
    await logged.call(local.info, {})
    log.warn({ appSecret: credentials.appSecret, channel: { pushUrl, deep: { wsSecret: 'x-canary-x' } } }, 'careless')
    await logged.stop()
    const all = lines.join('')
    expect(all).toMatch(/"reqId":"[0-9a-f]{8}-[0-9a-z]+"/)
    expect(all).toContain('ENOENT')
    for (const secret of [
      credentials.appSecret,
      'x-canary-x',
      ...[ret!.pushUrl, pushUrl].map((url) => new URL(url).searchParams.get('wsSecret')!),
    ])
      expect(all).not.toContain(secret)
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow()
  })
})
