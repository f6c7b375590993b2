import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { chatrooms, live, local } from '../contract/operations/index.ts'
import type { WatchGuest } from '../contract/watch.ts'
import { startRooms } from './rooms/testing/rig.ts'
import { isLoopback, toldAddresses } from './public-addresses.ts'
import { eventually } from './testing/eventually.ts'
import { httpRequest } from './testing/http-request.ts'
import { startService, testCredentials } from './testing/start-service.ts'

const loopback = { host: '127.0.0.1', port: 0 }
const listeners = { api: loopback, media: loopback, rtmp: loopback }
const ports = { api: 8710, media: 8711, rtmp: 1935 }
const told = (options: Partial<Parameters<typeof toldAddresses>[0]>) => {
  const { addresses, hosts, origins } = toldAddresses({ ...listeners, ...options })
  return { ...addresses((name) => ports[name]), hosts, origins }
}

describe('addresses that callers are told', () => {
  it('are those of the listeners', () => {
    expect(told({})).toEqual({
      api: 'http://127.0.0.1:8710',
      media: 'http://127.0.0.1:8711',
      rtmp: 'rtmp://127.0.0.1:1935',
      link: 'ws://127.0.0.1:8711/link',
      hosts: [],
      origins: [],
    })
  })

  it('have a public host with the ports of the listeners, which pages may have behind TLS', () => {
    expect(told({ publicHost: '2001:db8::1' })).toMatchObject({
      api: 'http://127.0.0.1:8710',
      media: 'http://[2001:db8::1]:8711',
      rtmp: 'rtmp://[2001:db8::1]:1935',
      hosts: ['[2001:db8::1]'],
      origins: ['http://[2001:db8::1]', 'https://[2001:db8::1]'],
    })
  })

  it('are the public ones exactly, and follow that of the media side where nothing else is said', () => {
    expect(told({ publicAddresses: { media: 'https://live.example.com/tv' } })).toEqual({
      api: 'http://127.0.0.1:8710',
      media: 'https://live.example.com/tv',
      rtmp: 'rtmp://live.example.com:1935',
      link: 'wss://live.example.com/tv/link',
      hosts: ['live.example.com'],
      origins: ['https://live.example.com'],
    })
    // RTMP stays at the listener unless a proxy carries it.
    expect(told({ publicAddresses: { media: 'https://live.example.com', rtmp: null } }).rtmp).toBe(
      'rtmp://127.0.0.1:1935',
    )
    const publicAddresses = {
      media: 'https://live.example.com:8443',
      api: 'https://api.example.com/v1',
      link: 'wss://chat.example.com/link',
      rtmp: 'rtmps://in.example.com',
    }
    expect(told({ publicAddresses })).toEqual({
      ...publicAddresses,
      hosts: ['live.example.com', 'api.example.com', 'chat.example.com'],
      origins: ['https://live.example.com:8443', 'https://api.example.com', 'https://chat.example.com'],
    })
  })
})

describe('an address that a listener is bound to', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::1', true],
    ['localhost', true],
    ['128.0.0.1', false],
    ['0.0.0.0', false],
    ['::', false],
    ['', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example', false],
  ])('%j is of this computer alone: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected)
  })

  it.each(['0.0.0.0', '::', ''])('%j is told as the first address of the computer in its network', (host) => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)
    const { media, rtmp, link, api } = told({ media: { host, port: 0 }, rtmp: { host, port: 0 } })
    const name = outside?.address ?? '127.0.0.1'
    expect([api, media, rtmp, link]).toEqual([
      'http://127.0.0.1:8710',
      `http://${name}:8711`,
      `rtmp://${name}:1935`,
      `ws://${name}:8711/link`,
    ])
  })

  it('is told as it is, of IPv6 in brackets, unless there is a public host', () => {
    const v6 = { host: '2001:db8::7', port: 0 }
    expect(told({ api: v6, media: v6, rtmp: v6 })).toMatchObject({
      api: 'http://[2001:db8::7]:8710',
      media: 'http://[2001:db8::7]:8711',
      rtmp: 'rtmp://[2001:db8::7]:1935',
      hosts: [],
    })
    expect(told({ api: v6, media: v6, publicHost: 'studio.example' })).toMatchObject({
      api: 'http://[2001:db8::7]:8710',
      media: 'http://studio.example:8711',
      link: 'ws://studio.example:8711/link',
    })
  })

  it('of the media side in brackets leads to RTMP there, and a host that is named twice is one', () => {
    expect(
      told({
        publicHost: 'live.example.com',
        publicAddresses: {
          media: 'https://[2001:db8::5]:8443',
          api: 'https://live.example.com',
          link: 'ws://live.example.com/l',
        },
      }),
    ).toEqual({
      api: 'https://live.example.com',
      media: 'https://[2001:db8::5]:8443',
      rtmp: 'rtmp://[2001:db8::5]:1935',
      link: 'ws://live.example.com/l',
      hosts: ['[2001:db8::5]', 'live.example.com'],
      origins: ['https://[2001:db8::5]:8443', 'https://live.example.com', 'http://live.example.com'],
    })
  })

  it('is beside a link of its own where there is one, with the hosts whose pages may use it', () => {
    expect(toldAddresses(listeners).publicLink).toBeUndefined()
    const publicAddresses = { media: 'https://live.example.com', link: 'wss://chat.example.com/link' }
    expect(toldAddresses({ ...listeners, publicAddresses }).publicLink).toEqual({
      url: 'wss://chat.example.com/link',
      hosts: ['live.example.com', 'chat.example.com'],
    })
  })
})

describe('a service with public addresses', () => {
  it('answers with them in every operation that answers addresses', async () => {
    const service = await startService({
      publicAddresses: {
        media: 'https://live.example.com/tv',
        link: 'wss://chat.example.com:444/link',
        rtmp: 'rtmps://in.example.com',
      },
    })
    expect(service.service.ready).toMatchObject({
      mediaUrl: 'https://live.example.com/tv',
      linkUrl: 'wss://chat.example.com:444/link',
      rtmpUrl: 'rtmps://in.example.com',
    })
    const { cid, pushUrl, httpPullUrl, hlsPullUrl, rtmpPullUrl } = (await service.call(live.create, { name: 'a' })).ret!
    expect(pushUrl).toMatch(new RegExp(`^rtmps://in\\.example\\.com/live/${cid}\\?wsSecret=`))
    expect([httpPullUrl, hlsPullUrl, rtmpPullUrl]).toEqual([
      `https://live.example.com/tv/live/${cid}.flv`,
      `https://live.example.com/tv/live/${cid}/playlist.m3u8`,
      `rtmps://in.example.com/live/${cid}`,
    ])
    await service.close()
  })

  it('takes calls from pages at its public address, and from no others', async () => {
    const service = await startService({ publicAddresses: { api: 'https://api.example.com' } })
    const ask = async (origin: string): Promise<number> => {
      const headers: [string, string][] = [
        ['content-type', 'application/json'],
        ['origin', origin],
        ...Object.entries(service.sign()),
      ]
      // As an untrusted proxy that ends TLS passes it on.
      return (
        await httpRequest(`http://127.0.0.1:${service.service.listening.api}${live.list.path}`, {
          host: 'api.example.com',
          headers,
          body: '{}',
        })
      ).status
    }
    expect([
      await ask('https://api.example.com'),
      await ask('https://evil.example'),
      await ask('https://api.example.com.evil.example'),
    ]).toEqual([200, 403, 403])
    await service.close()
  })

  it('tells people of a room where the link is', async () => {
    const rig = await startRooms({ publicAddresses: { link: 'wss://chat.example.com/link' } })
    const roomid = await rig.room()
    expect((await rig.call(chatrooms.requestAddr, { roomid, accid: 'cara' })).addr).toEqual(['chat.example.com:443'])
    await rig.close()
  })
})

describe('a proxy in front of the media side', () => {
  const host = 'live.example.com'
  const page = `https://${host}`
  const through = (address: string) =>
    [
      ['x-forwarded-for', address],
      ['x-forwarded-proto', 'https'],
    ] as const
  /** A service behind a local proxy, and how the proxy requests a guest. */
  const begin = async (trusted: boolean) => {
    const rig = await startRooms()
    const roomid = await rig.room()
    const { cid } = (await rig.call(live.create, { name: 'show' })).ret!
    await rig.call(local.linkRoom, { cid, roomid })
    await rig.stop()
    const api = await startRooms({
      dataDir: rig.dataDir,
      publicAddresses: { media: page, link: `wss://${host}/link` },
      ...(trusted && { trustedProxies: ['127.0.0.0/8'] }),
    })
    const mediaPort = api.service.listening.media
    const ask = async (headers: readonly (readonly [string, string])[], origin = page) =>
      httpRequest(`http://127.0.0.1:${mediaPort}/watch/${cid}/guest`, {
        host,
        headers: [...headers, ['origin', origin]],
      })
    return { api, ask }
  }

  it('gives each viewer the limits of the own address', async () => {
    const { api, ask } = await begin(true)
    const statuses = new Map<number, number>()
    for (let viewer = 1; viewer <= 30; viewer++) {
      const { status } = await ask(through(`198.51.100.${viewer}`))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([[201, 30]])
    // An address over the limit affects no others; its /64 counts as one.
    const flood: number[] = []
    for (let n = 0; n < 25; n++) flood.push((await ask(through(`2001:db8:1:2::${n.toString(16)}`))).status)
    expect(flood.filter((status) => status === 201)).toHaveLength(20)
    expect((await ask(through('2001:db8:1:3::1'))).status).toBe(201)
    await api.close()
  })

  it('holds up the log-ins of the address that guesses tokens, its whole /64, and nobody else', async () => {
    const { api } = await begin(true)
    /** Code of a log-in with a wrong token. */
    const guess = (address: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { ...Object.fromEntries(through(address)), host }
        const socket = new WebSocket(`ws://127.0.0.1:${api.service.listening.media}/link`, { headers, origin: page })
        const login = {
          t: 'login',
          id: 1,
          appKey: testCredentials.appKey,
          accid: 'cara',
          token: 'a guess',
          device: 'd',
          clientType: 'WEB',
        }
        socket.on('open', () => socket.send(JSON.stringify(login)))
        socket.on('message', (data) => {
          resolve((JSON.parse((data as Buffer).toString()) as { code: number }).code)
          socket.terminate()
        })
        socket.on('error', reject)
        socket.on('close', () => resolve(0))
      })
    const wrong = await guess('2001:db8:1:2::ffff')
    expect(wrong).not.toBe(416)
    // At once, each from its own address of the /64: only some are checked.
    const codes: number[] = []
    const guesses = Array.from({ length: 20 }, async (_, n) =>
      codes.push(await guess(`2001:db8:1:2::${n.toString(16)}`)),
    )
    expect(await guess('2001:db8:1:3::1')).toBe(wrong)
    expect(await guess('198.51.100.7')).toBe(wrong)
    await eventually(() => expect(codes.filter((code) => code === 416).length).toBeGreaterThan(5))
    await api.close()
    await Promise.all(guesses)
  })

  it('is not believed unless it is trusted', async () => {
    const { api, ask } = await begin(false)
    const statuses: number[] = []
    for (let viewer = 1; viewer <= 30; viewer++) statuses.push((await ask(through(`198.51.100.${viewer}`))).status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    await api.close()
  })

  it('leads the page of the public address to guests and link, and no other page', async () => {
    const { api, ask } = await begin(true)
    const made = await ask(through('198.51.100.7'))
    expect(made.status).toBe(201)
    expect((JSON.parse(made.text) as WatchGuest).accid).toMatch(/./)
    expect((await ask(through('198.51.100.7'), 'https://live.example.com.evil.example')).status).toBe(403)
    expect((await ask(through('198.51.100.7'), 'https://evil.example')).status).toBe(403)
    await api.close()
  })
})
