import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isPublicIPv4, mayBeRouter, printedRouters } from './router-address.ts'
import { forwardByUpnp, readAnswer, readDescription } from './upnp.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const wanService = (version: number): string => `urn:schemas-upnp-org:service:WANIPConnection:${version}`
const description = (control: string, version = 1): string =>
  `<root><device><serviceList><service><serviceType>urn:schemas-upnp-org:service:Other:1</serviceType>` +
  `<controlURL>/other</controlURL></service><service><serviceType> ${wanService(version)} </serviceType>` +
  `<controlURL>${control}</controlURL></service></serviceList></device></root>`
interface Asked {
  readonly path: string
  readonly action: string
  readonly body: string
}
/** A device at an address of loopback. */
async function device({
  address = '127.0.0.1',
  control = '/control?a=1&amp;b=2',
  version = 1,
  answer = (_asked: Asked): string | number => '<NewExternalIPAddress>203.0.113.7</NewExternalIPAddress>',
} = {}) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => answered(request, response, body))
  })
  const answered = (request: IncomingMessage, response: ServerResponse, body: string): unknown => {
    if (request.method === 'GET') return response.end(description(control, version))
    const one = { path: request.url!, action: String(request.headers['soapaction']).split('#')[1]!.slice(0, -1), body }
    asked.push(one)
    const text = answer(one)
    if (typeof text === 'string') return response.end(text)
    return response.writeHead(500).end(`<errorCode>${text}</errorCode><errorDescription>No</errorDescription>`)
  }
  servers.push(server.listen(0, address))
  await once(server, 'listening')
  const location = new URL(`http://${address}:${(server.address() as AddressInfo).port}/d.xml`)
  return { asked, found: { address, here: '192.168.1.5', location } }
}
const within = () => ({ signal: AbortSignal.timeout(3_000), patience: 3_000 })

describe('a device that answers the search', () => {
  const text = (location: string): Buffer =>
    Buffer.from(`HTTP/1.1 200 OK\r\nST: x\r\nLocation: ${location}\r\nUSN: y\r\n\r\n`)

  it('has its description at the address that answered, over HTTP', () => {
    expect(readAnswer(text('http://192.168.1.1:5000/d'), '192.168.1.1')?.href).toBe('http://192.168.1.1:5000/d')
    for (const other of [
      'http://127.0.0.1:9999/shutdown',
      'http://192.168.1.9/d',
      'http://router.example/d',
      'https://192.168.1.1/d',
      'file:///etc/passwd',
      '192.168.1.1',
      '',
    ])
      expect(readAnswer(text(other), '192.168.1.1'), other).toBeUndefined()
    expect(readAnswer(Buffer.from('NOTIFY * HTTP/1.1\r\nLOCATION: http://192.168.1.1/d\r\n'), '192.168.1.1')).toBe(
      undefined,
    )
    expect(readAnswer(Buffer.concat([text('http://192.168.1.1/d'), Buffer.alloc(4_096)]), '192.168.1.1')).toBe(
      undefined,
    )
  })

  it('is the default router or in a private network of this computer, and never this computer', () => {
    const one = (address: string, cidr: string, internal = false) => ({ address, cidr, internal })
    const here = () =>
      ({
        lo: [one('127.0.0.1', '127.0.0.1/8', true)],
        eth: [
          one('192.168.1.5', '192.168.1.5/24'),
          one('2001:db8::5', '2001:db8::5/64'),
          one('203.0.113.9', '203.0.113.9/24'),
        ],
      }) as never
    const may = (address: string): boolean => mayBeRouter(address, ['203.0.113.1', '192.168.1.5'], here)
    expect(['192.168.1.1', '192.168.1.77', '203.0.113.1'].filter((address) => !may(address))).toEqual([])
    for (const other of [
      '127.0.0.1',
      '127.0.0.2',
      '192.168.1.5',
      '203.0.113.9',
      '203.0.113.2',
      '192.168.2.1',
      '10.0.0.1',
      '2001:db8::1',
    ])
      expect(may(other), other).toBe(false)
  })
})

it('tables of the systems that print one name the default router', () => {
  const windows = `===========
Active Routes:
Network Destination        Netmask          Gateway       Interface  Metric
          0.0.0.0          0.0.0.0    192.168.178.1   192.168.178.20     35
          0.0.0.0          0.0.0.0         On-link          10.8.0.2     50
        127.0.0.0        255.0.0.0         On-link         127.0.0.1    331
===========\r\n`
  const mac = `Routing tables

Internet:
Destination        Gateway            Flags               Netif Expire
default            192.168.1.254      UGScg                 en0
default            link#22            UCSIg             utun4
127                127.0.0.1          UCS                   lo0
192.168.1          link#11            UCS                   en0      !
192.168.1.77       192.168.1.9        UGHS                  en0\n`
  expect([windows, windows.replaceAll('\n', '\r\n'), mac, ''].map(printedRouters)).toEqual([
    ['192.168.178.1'],
    ['192.168.178.1'],
    ['192.168.1.254'],
    [],
  ])
})

describe('a device that forwards', () => {
  it('is asked to forward, renew and give back', async () => {
    const { asked, found } = await device()
    const made = await forwardByUpnp(found, 8443, within())
    expect(made).toMatchObject({ protocol: 'upnp', address: '203.0.113.7', port: 8443 })
    await made.renew()
    await made.remove()
    expect(asked.map(({ path, action }) => `${path} ${action}`)).toEqual(
      ['GetExternalIPAddress', 'AddPortMapping', 'GetExternalIPAddress', 'AddPortMapping', 'DeletePortMapping'].map(
        (action) => `/control?a=1&b=2 ${action}`,
      ),
    )
    expect(asked[1]!.body).toContain('<NewInternalClient>192.168.1.5</NewInternalClient>')
    expect(asked.at(-1)!.body).toContain('<NewExternalPort>8443</NewExternalPort><NewProtocol>TCP</NewProtocol>')
  })

  it('may choose another port, or know only mappings without an end', async () => {
    const { asked, found } = await device({
      version: 2,
      answer: ({ action, body }) =>
        action === 'GetExternalIPAddress'
          ? '<NewExternalIPAddress> 203.0.113.7 </NewExternalIPAddress>'
          : body.includes('<NewLeaseDuration>0<')
            ? '<NewReservedPort>9443</NewReservedPort>'
            : 725,
    })
    const made = await forwardByUpnp(found, 8443, within())
    expect(made).toMatchObject({ port: 9443 })
    expect(asked.map(({ action }) => action)).toEqual([
      'GetExternalIPAddress',
      'AddAnyPortMapping',
      'AddAnyPortMapping',
    ])
    // The port that it chose is renewed, not the one that was wished first.
    expect(await made.renew()).toEqual({ address: '203.0.113.7', port: 9443 })
    expect(asked.at(-1)!.body).toContain('<NewExternalPort>9443</NewExternalPort>')
  })

  it.each(['0', '65536', '-1', 'x'])('that answers with the port "%s" forwards none', async (port) => {
    const { found } = await device({
      version: 2,
      answer: ({ action }) =>
        action === 'GetExternalIPAddress'
          ? '<NewExternalIPAddress>203.0.113.7</NewExternalIPAddress>'
          : `<NewReservedPort>${port}</NewReservedPort>`,
    })
    await expect(forwardByUpnp(found, 8443, within())).rejects.toThrow('forwards no port')
  })

  it('has nothing sent to another address than its own', async () => {
    const other = await device({ address: '127.0.0.2' })
    const { found, asked } = await device({ control: `${other.found.location.origin}/shutdown?now=1` })
    await expect(forwardByUpnp(found, 8443, within())).rejects.toThrow('not its own')
    expect([other.asked, asked]).toEqual([[], []])
    const based = description('/control').replace('<device>', '<URLBase>http://127.0.0.2:9999/</URLBase><device>')
    expect(() => readDescription(based, found)).toThrow('not its own')
    expect(() => readDescription('<service><service>', found)).toThrow('does not forward')
  })

  it.each(['evil.example', '', '192.168.1.2', '100.64.0.1', '2001:db8::7', '203.0.113.7.evil.example'])(
    'whose public address is "%s" forwards nothing',
    async (address) => {
      const { found, asked } = await device({ answer: () => `<NewExternalIPAddress>${address}</NewExternalIPAddress>` })
      await expect(forwardByUpnp(found, 8443, within())).rejects.toThrow('names no public address')
      expect(asked.map(({ action }) => action)).toEqual(['GetExternalIPAddress'])
      expect(isPublicIPv4(address)).toBe(false)
    },
  )

  it('is told with its own refusal, and is not read without an end', async () => {
    const refusing = await device({
      answer: ({ action }) =>
        action === 'AddPortMapping' ? 718 : '<NewExternalIPAddress>8.8.8.8</NewExternalIPAddress>',
    })
    await expect(forwardByUpnp(refusing.found, 8443, within())).rejects.toThrow('refused AddPortMapping: 718 No')
    const endless = createServer((_, response) => {
      const write = (): void =>
        void (response.write(Buffer.alloc(65_536)) ? setImmediate(write) : response.once('drain', write))
      response.on('error', () => undefined)
      write()
    })
    servers.push(endless.listen(0, '127.0.0.1'))
    await once(endless, 'listening')
    const location = new URL(`http://127.0.0.1:${(endless.address() as AddressInfo).port}/`)
    await expect(forwardByUpnp({ ...refusing.found, location }, 8443, within())).rejects.toThrow('more than is read')
  })
})
