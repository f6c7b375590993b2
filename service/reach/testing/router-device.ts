import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * A program: a device of the home network that calls itself a router by UPnP. A noisy one also sends packets that
 * nobody can read: by SSDP, and as its answer to NAT-PMP. It is connected by its parent, and tells it when it began,
 * when it listens, what it is asked, and how much of an endless answer was taken.
 */
export type DeviceMode =
  /** Forwards what it is asked to. */
  | 'router'
  /** The same, but renews nothing. */
  | 'forgetful'
  /** Describes itself without an end. */
  | 'endless'
  /** The same, with few bytes. */
  | 'trickle'
  /** Forwards, but answers the search late. */
  | 'late'
  /** Answers nothing. */
  | 'absent'
  /** Takes the request for its description and answers nothing. */
  | 'stuck'
/** What it tells. */
export type DeviceNews = (
  | { readonly kind: 'began' }
  | { readonly kind: 'listens' }
  | { readonly kind: 'mapped'; readonly action: string; readonly body: string }
  | { readonly kind: 'left'; readonly bytes: number }
) & {
  /** Which of the devices; 0 is the default router. */
  readonly device?: number
}

const [mode, itself, isNoisy, named] = process.argv.slice(2) as [DeviceMode, string, 'noisy' | 'quiet', string]
const port = 5000
const gateway = 'urn:schemas-upnp-org:device:InternetGatewayDevice:2'
const connection = 'urn:schemas-upnp-org:service:WANIPConnection:2'
const description = `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device>
<deviceType>${gateway}</deviceType><UDN>uuid:1</UDN><serviceList><service><serviceType>${connection}</serviceType>
<serviceId>x</serviceId><controlURL>/control</controlURL><SCPDURL>/service.xml</SCPDURL></service></serviceList>
</device></root>`
const answers: Readonly<Record<string, string>> = {
  AddAnyPortMapping: '<NewReservedPort>8443</NewReservedPort>',
  GetExternalIPAddress: `<NewExternalIPAddress>${named}</NewExternalIPAddress>`,
  DeletePortMapping: '',
}
const tell = (news: DeviceNews): void => void process.send?.(news)

process.once('disconnect', () => process.exit())
tell({ kind: 'began' })
await once(process, 'message')
for (const words of [`address add ${itself}/24 dev far`, 'link set far up']) execFileSync('ip', words.split(' '))

let isMapped = false
const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/xml')
  if (request.method === 'GET' && (mode === 'endless' || mode === 'trickle')) {
    const part = Buffer.alloc(mode === 'endless' ? 256 * 1024 : 1, 'a')
    let bytes = 0
    response.write('<?xml version="1.0"?><root>')
    const timer = setInterval(() => {
      if (response.writableLength > part.length) return
      bytes += part.length
      response.write(part)
    }, 5)
    response.once('close', () => {
      clearInterval(timer)
      tell({ kind: 'left', bytes })
    })
    return
  }
  if (mode === 'stuck') return
  if (request.method === 'GET') return void response.end(description)
  let body = ''
  request.on('data', (bytes: Buffer) => (body += bytes.toString()))
  request.on('end', () => {
    const action = /#(\w+)/.exec(String(request.headers['soapaction']))?.[1] ?? ''
    tell({ kind: 'mapped', action, body })
    if (mode === 'forgetful' && action === 'AddAnyPortMapping' && isMapped) {
      response.statusCode = 500
      return void response.end('<errorCode>728</errorCode>')
    }
    isMapped = action === 'AddAnyPortMapping' || (isMapped && action !== 'DeletePortMapping')
    response.end(
      `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:${action}Response
 xmlns:u="${connection}">${answers[action] ?? ''}</u:${action}Response></s:Body></s:Envelope>`,
    )
  })
})
server.listen(port, itself, () => tell({ kind: 'listens' }))

const head = 'HTTP/1.1 200 OK\r\nST: '
/** No known type, no lifetime, no address; and what is no text. */
const unreadable = [
  'X * HTTP/1.1\r\n\r\n',
  `${head}a\r\nUSN: b\r\nLOCATION: http://${itself}:1/\r\n\r\n`,
  `NOTIFY * HTTP/1.1\r\nNT: a\r\nNTS: ssdp:alive\r\nUSN: b\r\nLOCATION: nowhere\r\n\r\n`,
]
const socket = createSocket({ type: 'udp4', reuseAddr: true })
socket.on('message', (_, { port: peer, address }) => {
  if (mode === 'absent') return
  // As long as the search allows.
  const wait = mode === 'late' ? 900 : 0
  const send = (text: string): void => void setTimeout(() => socket.send(text, peer, address), wait)
  if (isNoisy === 'noisy') for (const text of unreadable) send(text)
  const where = `LOCATION: http://${itself}:${port}/description\r\n`
  send(`${head}${gateway}\r\nCACHE-CONTROL: max-age=1800\r\nUSN: uuid:1::${gateway}\r\n${where}\r\n`)
})
socket.bind(1900, () => socket.addMembership('239.255.255.250', itself))
const natPmp = createSocket('udp4')
natPmp.on('message', (_, { port: peer, address }) => {
  if (isNoisy === 'noisy') natPmp.send(Buffer.from([0]), peer, address)
})
natPmp.bind(5351, itself)
