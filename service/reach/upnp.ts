import { createSocket } from 'node:dgram'
import { request } from 'node:http'
import type { Forwarded, OuterPlace } from './port-mapping.ts'
import { requirePublic } from './router-address.ts'

/** Where devices are searched (UPnP Device Architecture). */
const searched = { address: '239.255.255.250', port: 1900 } as const
const deviceTypes = [2, 1].map((version) => `urn:schemas-upnp-org:device:InternetGatewayDevice:${version}`)
const serviceType = /^urn:schemas-upnp-org:service:WAN(?:IP|PPP)Connection:([12])$/
/** How often the search is sent, in ms. */
const searchEvery = 1_000
/** Descriptions of other devices than the default router that are heard at most, and of any one device. */
const maxOthers = 8
const maxOfDevice = 2
/** Most bytes of an answer, a description, and a reply. */
const maxAnswer = 2_048
const maxDescription = 256 * 1024
const maxReply = 64 * 1024
/** Lifetime of a mapping in s; some routers only know mappings without an end. */
const lease = 3600
const onlyPermanent = '725'

/** A device that answered the search at this computer's address `here`. */
export interface UpnpDevice {
  readonly address: string
  readonly here: string
  readonly location: URL
}

/** The description of a device that answered, if it is at the very address that answered. */
export function readAnswer(bytes: Buffer, from: string): URL | undefined {
  if (bytes.length > maxAnswer) return undefined
  const text = bytes.toString('latin1')
  if (!/^HTTP\/1\.1 200 /i.test(text)) return undefined
  const url = URL.parse(/^location:[ \t]*(\S+)[ \t]*\r?$/im.exec(text)?.[1] ?? '')
  return url?.protocol === 'http:' && url.hostname === from ? url : undefined
}

/**
 * Searches routers from addresses of this computer, until the signal. Devices for which `mayBe` does not hold are not
 * asked further; however many answer, the default router (`isRouter`) is heard.
 */
export async function* searchRouters(
  hosts: readonly string[],
  {
    mayBe,
    isRouter,
  }: { readonly mayBe: (address: string) => boolean; readonly isRouter: (address: string) => boolean },
  signal: AbortSignal,
): AsyncGenerator<UpnpDevice> {
  const found: UpnpDevice[] = []
  const known = new Map<string, string>()
  /** Whether one more description of a device is read. */
  const hasRoom = (address: string): boolean => {
    const those = [...known.values()]
    const others = those.filter((one) => !isRouter(one))
    return (
      those.filter((one) => one === address).length < maxOfDevice && (isRouter(address) || others.length < maxOthers)
    )
  }
  let wake: () => void = () => undefined
  const sockets = hosts.map((here) => {
    const socket = createSocket('udp4')
    // Such as an interface that is gone.
    socket.on('error', () => undefined)
    socket.on('message', (bytes, { address }) => {
      const location = readAnswer(bytes, address)
      if (!location || known.has(location.href) || !hasRoom(address) || !mayBe(address)) return
      known.set(location.href, address)
      found.push({ address, here, location })
      wake()
    })
    socket.bind(0, here, () => {
      socket.setMulticastInterface(here)
      socket.setMulticastTTL(4)
    })
    return socket
  })
  const search = (): void => {
    for (const type of deviceTypes) {
      const host = `${searched.address}:${searched.port}`
      const text = `M-SEARCH * HTTP/1.1\r\nHOST: ${host}\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: ${type}\r\n\r\n`
      for (const socket of sockets) socket.send(text, searched.port, searched.address, () => undefined)
    }
  }
  const timer = setInterval(search, searchEvery)
  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    search()
    while (!signal.aborted) {
      const next = found.shift()
      if (next) yield next
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', stop)
    for (const socket of sockets) socket.close()
  }
}

/** Asks a device; neither redirects nor more than `most` bytes are taken. */
const fetchText = (
  url: URL,
  { most, signal, body, action }: { most: number; signal: AbortSignal; body?: string; action?: string },
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        signal,
        ...(body !== undefined && {
          headers: {
            'content-type': 'text/xml; charset="utf-8"',
            'content-length': Buffer.byteLength(body),
            soapaction: `"${action}"`,
          },
        }),
      },
      (answer) => {
        const parts: Buffer[] = []
        let size = 0
        answer.on('data', (part: Buffer) => {
          size += part.length
          if (size <= most) parts.push(part)
          else answer.destroy(new Error('the router answers with more than is read'))
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })

const unescape = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|apos);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
  )
/** Text of the first element with a name, without the blanks around it. */
function elementOf(text: string, name: string): string | undefined {
  const from = text.indexOf(`<${name}>`)
  const to = from < 0 ? -1 : text.indexOf(`</${name}>`, from)
  return to < 0 ? undefined : unescape(text.slice(from + name.length + 2, to).trim())
}

/** The service that forwards ports, from a description; its address must be on the device itself. */
export function readDescription(text: string, { location, address }: Pick<UpnpDevice, 'location' | 'address'>) {
  for (const part of text.split('<service>').slice(1)) {
    const type = elementOf(part, 'serviceType') ?? ''
    const version = serviceType.exec(type)?.[1]
    if (version === undefined) continue
    const base = URL.parse(elementOf(text, 'URLBase') ?? '')?.href ?? location.href
    const control = URL.parse(elementOf(part, 'controlURL') ?? '', base)
    if (control?.protocol !== 'http:' || control.hostname !== address)
      throw new Error('the router names an address that is not its own')
    return { type, version: Number(version), control }
  }
  throw new Error('the router does not forward ports')
}

/** Has a device that answered forward a TCP port. */
export async function forwardByUpnp(
  device: UpnpDevice,
  port: number,
  { signal, patience }: { readonly signal: AbortSignal; readonly patience: number },
): Promise<Forwarded> {
  const { text } = await fetchText(device.location, { most: maxDescription, signal })
  const { type, version, control } = readDescription(text, device)
  const run = async (name: string, values: Readonly<Record<string, string | number>>, within: AbortSignal) => {
    const members = Object.entries(values).map(([key, value]) => `<${key}>${value}</${key}>`)
    const inner = `<u:${name} xmlns:u="${type}">${members.join('')}</u:${name}>`
    const style = 'http://schemas.xmlsoap.org/soap/encoding/'
    const names = `xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="${style}"`
    const body = `<?xml version="1.0"?><s:Envelope ${names}><s:Body>${inner}</s:Body></s:Envelope>`
    const answer = await fetchText(control, { most: maxReply, signal: within, body, action: `${type}#${name}` })
    if (answer.status === 200) return { text: answer.text }
    const code = elementOf(answer.text, 'errorCode') ?? String(answer.status)
    return { code: code.slice(0, 20), said: (elementOf(answer.text, 'errorDescription') ?? '').slice(0, 100), text: '' }
  }
  const done = async (...call: Parameters<typeof run>): Promise<string> => {
    const { code, said, text: answer } = await run(...call)
    if (code !== undefined) throw new Error(`the router refused ${call[0]}: ${code} ${said}`.trim())
    return answer
  }

  const name = version === 2 ? 'AddAnyPortMapping' : 'AddPortMapping'
  const mapping = (outer: number, seconds: number) => ({
    NewRemoteHost: '',
    NewExternalPort: outer,
    NewProtocol: 'TCP',
    NewInternalPort: port,
    NewInternalClient: device.here,
    NewEnabled: 1,
    NewPortMappingDescription: 'Sidestage',
    NewLeaseDuration: seconds,
  })
  /** Asks for the address and for a mapping to `wanted`; a renewal can have another of both. */
  const make = async (wanted: number, within: AbortSignal): Promise<OuterPlace> => {
    const address = elementOf(await done('GetExternalIPAddress', {}, within), 'NewExternalIPAddress') ?? ''
    requirePublic(address)
    const made = await run(name, mapping(wanted, lease), within)
    const answer =
      made.code === undefined
        ? made.text
        : made.code === onlyPermanent
          ? await done(name, mapping(wanted, 0), within)
          : await Promise.reject(new Error(`the router refused ${name}: ${made.code} ${made.said}`.trim()))
    const reserved = Number(elementOf(answer, 'NewReservedPort') ?? wanted)
    if (!Number.isInteger(reserved) || reserved < 1 || reserved > 65_535) throw new Error('the router forwards no port')
    return { address, port: reserved }
  }
  const first = await make(port, signal)
  let outer = first.port
  return {
    protocol: 'upnp',
    ...first,
    async renew() {
      const renewed = await make(outer, AbortSignal.timeout(patience))
      outer = renewed.port
      return renewed
    },
    async remove() {
      const values = { NewRemoteHost: '', NewExternalPort: outer, NewProtocol: 'TCP' }
      await done('DeletePortMapping', values, AbortSignal.timeout(patience))
    },
  }
}
