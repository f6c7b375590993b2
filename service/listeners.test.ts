import { describe, expect, it } from 'vitest'
import { createListeners, describeListeners, requireSafeApi } from './listeners.ts'
import { toldAddresses } from './public-addresses.ts'

const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
const credentials = { appKey: 'key', appSecret: 'secret' }

/** Listeners whose ports are bound without a system; those named are taken. */
function bench(hosts: { readonly api?: string; readonly media?: string; readonly rtmp?: string } = {}) {
  const choices = {
    api: { host: hosts.api ?? '127.0.0.1', port: 8710 },
    media: { host: hosts.media ?? '127.0.0.1', port: 0 },
    rtmp: { host: hosts.rtmp ?? '127.0.0.1', port: 17 },
  }
  const warned: [object, string][] = []
  const listeners = createListeners({
    ...choices,
    told: toldAddresses(choices),
    log: { warn: (fields, sentence) => void warned.push([fields, sentence]) },
  })
  const bind = (name: 'api' | 'media' | 'rtmp', ...held: readonly number[]) =>
    listeners.bind(name, (port) =>
      held.includes(port) ? Promise.reject(taken) : Promise.resolve(port === 0 ? 50_000 : port),
    )
  return { listeners, bind, warned, choices }
}

describe('listeners', () => {
  it('have the ports that were chosen before they are bound, and are described once they are', async () => {
    const { listeners, bind, warned } = bench()
    expect([listeners.port('api'), listeners.port('media'), listeners.ports(), listeners.states()]).toEqual([
      8710,
      0,
      [],
      [],
    ])
    await bind('rtmp')
    await bind('media')
    await bind('api')
    expect(listeners.ports()).toEqual([8710, 50_000, 17])
    expect(listeners.states()).toEqual([
      { name: 'api', address: '127.0.0.1', port: 8710, wanted: 8710 },
      { name: 'media', address: '127.0.0.1', port: 50_000, wanted: 0 },
      { name: 'rtmp', address: '127.0.0.1', port: 17, wanted: 17 },
    ])
    expect([listeners.notes(), warned]).toEqual([[], []])
    expect(listeners.addresses()).toMatchObject({ api: 'http://127.0.0.1:8710', media: 'http://127.0.0.1:50000' })
  })

  it('take the next port where theirs is taken, which is noted and logged', async () => {
    const { listeners, bind, warned } = bench()
    await bind('rtmp', 17, 18)
    expect(listeners.port('rtmp')).toBe(19)
    expect(listeners.notes()).toEqual([{ listener: 'rtmp', wanted: 17, used: 19 }])
    expect(warned).toEqual([
      [{ listener: 'rtmp', wanted: 17, used: 19 }, 'port 17 is taken by another program; using 19'],
    ])
  })

  it('leave the ports that others of them want', async () => {
    const at = (port: number) => ({ host: '127.0.0.1', port })
    const choices = { api: at(17), media: at(18), rtmp: at(19) }
    const listeners = createListeners({ ...choices, told: toldAddresses(choices), log: { warn: () => undefined } })
    await listeners.bind('api', (port) => (port === 17 ? Promise.reject(taken) : Promise.resolve(port)))
    expect(listeners.port('api')).toBe(20)
  })

  it('leave the ports that switches name, whether taken or not', async () => {
    const at = (port: number) => ({ host: '127.0.0.1', port })
    const choices = { api: at(17), media: at(19), rtmp: at(20), httpsPort: 17, rtmpsPort: 21 }
    const warned: string[] = []
    const listeners = createListeners({
      ...choices,
      namedPorts: ['https', 'rtmps', 'media'],
      told: toldAddresses(choices),
      log: { warn: (_fields, sentence) => void warned.push(sentence) },
    })
    await listeners.bind('rtmp', (port) => (port === 20 ? Promise.reject(taken) : Promise.resolve(port)))
    await listeners.bind('api', (port) => Promise.resolve(port))
    expect([listeners.port('rtmp'), listeners.port('api')]).toEqual([22, 18])
    expect(warned).toContain('port 17 is taken by --https-port; using 18')
  })

  it.each([
    [
      'api',
      'the api listener is open to the network: signed calls are taken over TLS, from trusted proxies that say https, and from this computer',
    ],
    ['media', 'the media listener is open to the network: anyone there can watch'],
    ['rtmp', 'the rtmp listener is open to the network: stream keys travel in clear there'],
  ] as const)('warn where the network reaches them: %s', async (name, sentence) => {
    const { bind, warned } = bench({ [name]: '0.0.0.0' })
    for (const each of ['api', 'media', 'rtmp'] as const) await bind(each)
    expect(warned).toEqual([[{ listener: name, host: '0.0.0.0', port: expect.any(Number) as number }, sentence]])
  })

  it('are told with what leads to them from outside, and by their own addresses to who runs the service', async () => {
    const { choices } = bench()
    const listeners = createListeners({
      ...choices,
      told: toldAddresses({ ...choices, publicHost: 'studio.example' }),
      log: { warn: () => expect.unreachable() },
    })
    for (const name of ['api', 'media', 'rtmp'] as const)
      await listeners.bind(name, (port) => Promise.resolve(port === 0 ? 50_000 : port))
    expect(describeListeners(listeners, credentials, choices)).toEqual({
      ready: {
        event: 'ready',
        appKey: 'key',
        baseUrl: 'http://127.0.0.1:8710',
        imBaseUrl: 'http://127.0.0.1:8710/nimserver',
        mediaUrl: 'http://studio.example:50000',
        rtmpUrl: 'rtmp://studio.example:17',
        linkUrl: 'ws://studio.example:50000/link',
      },
      own: {
        event: 'ready',
        appKey: 'key',
        baseUrl: 'http://127.0.0.1:8710',
        imBaseUrl: 'http://127.0.0.1:8710/nimserver',
        mediaUrl: 'http://127.0.0.1:50000',
        rtmpUrl: 'rtmp://127.0.0.1:17',
        linkUrl: 'ws://127.0.0.1:50000/link',
      },
      addresses: listeners.addresses(),
      listening: { api: 8710, media: 50_000, rtmp: 17 },
      notes: [],
    })
  })
})

describe('the api listener', () => {
  it('is for this computer, or behind a trusted proxy', () => {
    const at =
      (host: string, proxies: readonly string[] = []) =>
      () =>
        requireSafeApi({ host, port: 1 }, proxies)
    for (const host of ['127.0.0.1', '127.5.5.5', '::1', 'localhost']) expect(at(host)).not.toThrow()
    expect(at('0.0.0.0', ['10.0.0.0/8'])).not.toThrow()
    for (const host of ['0.0.0.0', '192.0.2.1', '::'])
      expect(at(host)).toThrow(`the api listener cannot be bound to ${host} without TLS`)
  })
})
