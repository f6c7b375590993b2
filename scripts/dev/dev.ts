import { fork, type ChildProcess } from 'node:child_process'
import { watch } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { createServer, type ProxyOptions } from 'vite'
import { reasonOf } from '../../companion/failure.ts'
import { isOfAnotherUser } from '../../companion/page/peer-user.ts'
import { openEntrance } from '../../companion/opener.ts'
import { readLaunchOptions } from '../../companion/instance/launch-options.ts'
import { rendererConfig } from '../../renderer/vite.config.ts'
import { createSerial } from '../../platform/serial.ts'

/** `npm run dev`: the page from Vite before the app, which starts again on changes. Options as `npm start`. */
const root = path.join(import.meta.dirname, '..', '..')
const say = (line: string): void => void process.stderr.write(`sidestage: ${line}\n`)
/** Folders whose change starts the app again. */
const ofApp = ['browser', 'companion', 'contract', 'platform', 'service', 'scripts/dev']
/** Changes that come together start it once, in ms. */
const gather = 150
/** Paths that the page asks the app for. */
const asked = '^/(session$|rpc$|media/|joined/)'

const given = process.argv.slice(2)
const args = given.includes('--data') ? given : [...given, '--data', path.join(root, 'out', 'dev')]
const options = readLaunchOptions(args)

/** Where the app listens, and the session with which this process asks it: the page needs none, and stays signed in when the app starts again. */
let app: { readonly child: ChildProcess; readonly origin: string; readonly cookie: string } | undefined
let port = options.port

/** Trades the one-time token of an address for a session. */
const signIn = (address: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { origin, hash } = new URL(address)
    const request = http.request(
      `${origin}/session`,
      { method: 'POST', headers: { 'content-type': 'application/json', origin } },
      (answer) => {
        answer.resume()
        const [cookie] = answer.headers['set-cookie'] ?? []
        if (cookie === undefined) reject(new Error(`the app answered ${answer.statusCode}`))
        else resolve(cookie.split(';', 1)[0] ?? '')
      },
    )
    request.on('error', reject)
    request.end(JSON.stringify({ token: hash.replace('#token=', '') }))
  })
const startApp = async (): Promise<void> => {
  const began = performance.now()
  const child = fork(path.join(import.meta.dirname, 'app.ts'), [...args, '--port', String(port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const address = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { readonly address: string }) => resolve(message.address))
    child.once('exit', (code) => reject(new Error(`the app ended with code ${code}`)))
  })
  const { origin } = new URL(address)
  // The page finds it again where it was.
  port = Number(new URL(address).port)
  app = { child, origin, cookie: await signIn(address) }
  say(`the app runs (${((performance.now() - began) / 1000).toFixed(1)} s)`)
}
const stopApp = async (): Promise<void> => {
  const { child } = app ?? {}
  app = undefined
  if (!child || child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

/** Nobody but the page that this server gave asks the app with this process's session. */
const isOwn = ({ headers }: http.IncomingMessage): boolean => {
  const site = headers['sec-fetch-site']
  return (
    (headers.origin === undefined || headers.origin === `http://${headers.host}`) &&
    (site === undefined || site === 'same-origin')
  )
}
/** As the shell does, whose check of the connection would see this process instead of who asks. */
const mayAsk = async (request: http.IncomingMessage): Promise<boolean> =>
  isOwn(request) && !(await isOfAnotherUser(request.socket))
/** Asks the app as its own page does. */
const asPage = (request: http.ClientRequest): void => {
  if (!app) return
  request.setHeader('host', new URL(app.origin).host)
  request.setHeader('origin', app.origin)
  request.setHeader('cookie', app.cookie)
}

await startApp()
const toApp: ProxyOptions = {
  target: `http://127.0.0.1:${port}`,
  ws: true,
  // Of requests and of connections that become a WebSocket: 404 while the app starts again, and for anybody else's.
  bypass: async (request) => (app && (await mayAsk(request)) ? undefined : false),
  configure: (proxy) => {
    proxy.on('proxyReq', asPage)
    proxy.on('proxyReqWs', asPage)
  },
}
const vite = await createServer({
  ...rendererConfig(),
  configFile: false,
  logLevel: 'warn',
  server: { host: '127.0.0.1', proxy: { [asked]: toApp } },
})
await vite.listen()
const [url] = vite.resolvedUrls?.local ?? []
process.stdout.write(`${JSON.stringify({ event: 'ready', url })}\n`)
if (options.open && url !== undefined)
  openEntrance(url).catch(() => say('no browser could be opened; open the printed address yourself'))

const inTurn = createSerial()
let timer: NodeJS.Timeout | undefined
let closing = false
const again = (): void => {
  inTurn(async () => {
    if (closing) return
    await stopApp()
    await startApp()
  })
    // What does not start is mended in an editor: the next change tries again.
    .catch((error: unknown) => say(reasonOf(error)))
}
for (const folder of ofApp)
  watch(path.join(root, folder), { recursive: true }, (_what, name) => {
    if (name === null || !name.endsWith('.ts') || name.endsWith('.test.ts')) return
    clearTimeout(timer)
    timer = setTimeout(again, gather)
  })
const close = (): void => {
  if (closing) return
  closing = true
  clearTimeout(timer)
  Promise.all([inTurn(stopApp), vite.close()])
    .catch((error: unknown) => say(reasonOf(error)))
    .finally(() => process.exit(0))
}
// Vite would end the process at this signal before the app has ended.
process.removeAllListeners('SIGTERM')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close)
