import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { createLog } from '../log.ts'
import type { ServiceOptions } from '../service.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { eventually } from '../testing/eventually.ts'
import { startService } from '../testing/start-service.ts'
import { certificateFiles, selfSigned } from './testing/certificates.ts'

const certificate = certificateFiles()
const { certificateFile, keyFile } = certificate
const tls = { certificateFile, keyFile }
const media = 'https://live.example.com'
const open = { host: '0.0.0.0', port: 0 }
afterAll(() => certificate.remove())

/** A service whose certificate has this name, with its lines of level warn on what is told and trusted. */
async function start(name: string, options: Partial<ServiceOptions>) {
  certificate.write(await selfSigned([name]))
  const lines: { readonly level: number; readonly msg: string }[] = []
  const log = createLog({ destination: { write: (line: string) => void lines.push(JSON.parse(line) as never) } })
  const running = await startService({ ...options, log })
  onTestFinished(() => running.close())
  const warnings = () => lines.filter(({ level, msg }) => level === 40 && !msg.includes('listener is open'))
  return { running, lines, warnings, words: () => warnings().map(({ msg }) => msg) }
}

describe('a certificate that does not name the host of an address', () => {
  it('is warned of with its file and names for each listener, at the start and when it is renewed', async () => {
    const rtmps = await freePort()
    const addresses = { media, api: `${media}:8710`, rtmp: `rtmps://live.example.com:${rtmps}` }
    const options = { api: open, tls, httpsPort: 0, rtmpsPort: rtmps, publicAddresses: addresses }
    const { running, warnings } = await start('live.example.com', options)
    expect(warnings()).toEqual([])
    const wrong = (name: string) => ({
      file: certificateFile,
      names: [name],
      addresses: [addresses.api, addresses.media, addresses.rtmp],
      // Its names are wrong then, no switch.
      msg: 'the certificate does not name live.example.com, so clients refuse it: use one that does',
    })
    certificate.write(await selfSigned(['other.example.com']))
    await eventually(() => expect(warnings()).toMatchObject([wrong('other.example.com')]))
    // Once for each certificate.
    certificate.write(await selfSigned(['third.example.com']))
    await eventually(() => expect(warnings()).toMatchObject([wrong('other.example.com'), wrong('third.example.com')]))
    expect((await start('*.example.com', { ...options, rtmpsPort: 0 })).warnings()).toEqual([])
    await running.stop()
    const { warnings: atStart } = await start('other.example.com', options)
    expect(atStart()).toMatchObject([wrong('other.example.com')])
  })

  it.each<[string, Partial<ServiceOptions>, string]>([
    ['the media side', { httpsPort: 0, publicAddresses: { media, rtmp: 'rtmp://in.example.com' } }, media],
    ['RTMP', { rtmpsPort: 0, publicAddresses: { rtmp: 'rtmps://live.example.com' } }, 'rtmps://live.example.com'],
  ])('is warned of for %s alone', async (_what, options, address) => {
    const { warnings } = await start('other.example.com', { tls, ...options })
    expect(warnings()).toMatchObject([{ names: ['other.example.com'], addresses: [address] }])
  })

  it('that is for no address that is given out is warned of with the switch that names one', async () => {
    const { words } = await start('live.example.com', { api: open, tls })
    expect(words()).toEqual([
      expect.stringMatching(/^the certificate does not name [\d.]+, .* or name a public address .*\(--public-api\)$/),
    ])
  })
})

describe('a public address at which nothing can answer', () => {
  const http = 'http://live.example.com'
  const rtmp = 'rtmp://in.example.com'
  it.each<[string, (port: number) => Partial<ServiceOptions>, string]>([
    [
      'HTTP where only HTTPS is open',
      () => ({ tls, httpsPort: 0, publicAddresses: { media: http, rtmp } }),
      `the public address ${http} cannot be reached: only HTTPS is open to others; use https://`,
    ],
    [
      'HTTP at the port of HTTPS, with plain HTTP open too',
      (port) => ({ tls, media: open, httpsPort: port, publicAddresses: { media: `${http}:${port}`, rtmp } }),
      `the public address ${http}:PORT cannot be reached: port PORT is TLS alone; use https://`,
    ],
    [
      'HTTPS at the port of plain HTTP',
      (port) => ({ media: { ...open, port }, publicAddresses: { media: `${media}:${port}`, rtmp } }),
      `the public address ${media}:PORT cannot be reached: port PORT has no TLS; use http://`,
    ],
    [
      'RTMP at the port of RTMPS',
      (port) => ({ tls, rtmpsPort: port, publicAddresses: { rtmp: `rtmp://live.example.com:${port}` } }),
      'the public address rtmp://live.example.com:PORT cannot be reached: port PORT is TLS alone; use rtmps://',
    ],
    [
      'RTMPS at the port of RTMP',
      (port) => ({ rtmp: { ...open, port }, publicAddresses: { rtmp: `rtmps://live.example.com:${port}` } }),
      'the public address rtmps://live.example.com:PORT cannot be reached: port PORT has no TLS; use rtmp://',
    ],
    [
      'signed calls over HTTP at the port of HTTPS',
      (port) => ({ tls, api: { ...open, port }, publicAddresses: { api: `${http}:${port}` } }),
      `the public address ${http}:PORT cannot be reached: port PORT is TLS alone; use https://`,
    ],
    [
      'the client link without TLS at the port of HTTPS',
      (port) => ({
        tls,
        httpsPort: port,
        publicAddresses: { media: `${media}:${port}`, link: `ws://live.example.com:${port}/link`, rtmp },
      }),
      'the public address ws://live.example.com:PORT/link cannot be reached: port PORT is TLS alone; use wss://',
    ],
  ])('is warned of at the start: %s', async (_what, options, said) => {
    const port = await freePort()
    const { words } = await start('live.example.com', options(port))
    expect(words()).toEqual([said.replaceAll('PORT', String(port))])
  })

  it('is warned of where encoders would be led to RTMP that is open to this computer alone', async () => {
    const { running, words } = await start('live.example.com', { tls, httpsPort: 0, publicAddresses: { media } })
    const { pushUrl } = (await running.call(live.create, { name: 'a' })).ret!
    const told = `rtmp://live.example.com:${new URL(pushUrl).port}`
    expect(pushUrl.startsWith(told)).toBe(true)
    expect(words()).toEqual([
      `encoders are told ${told}, where RTMP is not open: ` +
        'open it with --bind-rtmp, or name where it is reached with --public-rtmp',
    ])
  })

  it('is not found where it is right, or where a proxy may be in between', async () => {
    const port = await freePort()
    for (const options of [
      {},
      { media: open, rtmp: open, publicHost: 'live.example.com' },
      { tls, httpsPort: 0, publicAddresses: { media, rtmp } },
      { rtmp: open, trustedProxies: ['127.0.0.1'], publicAddresses: { media, api: media } },
      {
        media: { ...open, port },
        trustedProxies: ['10.0.0.0/8'],
        publicAddresses: { media: `${media}:${port}`, rtmp },
      },
      { tls, httpsPort: 0, trustedProxies: ['127.0.0.1'], publicAddresses: { media: http, rtmp } },
    ] satisfies Partial<ServiceOptions>[]) {
      const { words, running } = await start('live.example.com', options)
      expect(words(), JSON.stringify(options)).toEqual([])
      await running.stop()
    }
  })

  it('is refused by a call for the port, where only HTTPS is open', async () => {
    const { running, words } = await start('live.example.com', {})
    const port = await freePort()
    const change = { reach: 'port', port, ...tls } as const
    expect(await running.call(local.updateReach, { ...change, publicUrl: http })).toMatchObject({
      code: 631,
      msg: 'publicUrl must begin with https:// for the port, where only HTTPS is open',
    })
    expect((await running.call(local.reach, {})).ret).toMatchObject({ reach: 'computer' })
    const set = await running.call(local.updateReach, { ...change, publicUrl: 'https://other.example.com' })
    expect(set.code).toBe(200)
    expect(words()).toEqual([
      'the certificate does not name other.example.com, so clients refuse it: use one that does',
    ])
    expect(await running.call(local.updateReach, { publicUrl: http })).toMatchObject({ code: 631 })
    // A proxy may have it.
    expect((await running.call(local.updateReach, { reach: 'proxy', publicUrl: http })).code).toBe(200)
  })
})

describe('a range of proxies', () => {
  it('that has addresses of anybody is warned of, from the command line and by a call', async () => {
    const { words } = await start('live.example.com', { trustedProxies: ['0.0.0.0/0', '10.0.0.0/8', 'fc00::/7'] })
    expect(words()).toEqual([expect.stringMatching(/^0\.0\.0\.0\/0 is trusted as proxies/)])
    const { running, words: later } = await start('live.example.com', {})
    expect((await running.call(local.updateReach, { proxies: ['::/0', '192.0.2.1'] })).code).toBe(200)
    expect(later()).toEqual([expect.stringMatching(/^::\/0 is trusted as proxies/)])
  })
})
