import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../e2e/cluster/redis.ts'
import { until } from '../../service/testing/condition.ts'
import { haproxyConfig, haproxyFile, type NodePorts } from './haproxy-config.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-haproxy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What HAProxy says of a configuration: nothing when it is without fault. */
function faults(text: string): string {
  const file = path.join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  const { status, stderr } = spawnSync('/usr/sbin/haproxy', ['-c', '-q', '-f', file], { encoding: 'utf8' })
  return status === 0 ? stderr.replaceAll(/^\[NOTICE\].*\n/gm, '') : `${status} ${stderr}`
}
const ports = (from: number) => ({ api: from, media: from + 1, rtmp: from + 2, metrics: from + 3 })

it.skipIf(!existsSync('/usr/sbin/haproxy'))('the file of operators and what the command makes of it are valid', () => {
  const certificate = path.join(folder, 'live.pem')
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', certificate, '-subj', '/CN=live.example.com']
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, '-out', `${certificate}.crt`], { stdio: 'ignore' })
  writeFileSync(certificate, readFileSync(certificate, 'utf8') + readFileSync(`${certificate}.crt`, 'utf8'))
  const own = readFileSync(haproxyFile, 'utf8').replace('/etc/ssl/live.example.com.pem', certificate)
  expect(faults(own)).toBe('')
  for (const asRoot of [true, false])
    expect(faults(haproxyConfig(new Map([['node-1', ports(2000)]]), { web: 1000, rtmp: 1001 }, asRoot))).toBe('')
})

it('has each node at its own ports, checked where it tells its readiness, and nothing elsewhere', () => {
  const names = ['node-1', 'node-2', 'node-3', 'node-4']
  const text = haproxyConfig(
    new Map(names.map((name, index) => [name, ports(2000 + 10 * index)])),
    { web: 1000, rtmp: 1001 },
    false,
  )
  const servers = text.split('\n').filter((line) => line.startsWith('  server '))
  expect(servers).toEqual([
    ...names.map((name, index) => `  server ${name} 127.0.0.1:${2000 + 10 * index} port ${2003 + 10 * index}`),
    ...names.map((name, index) => `  server ${name} 127.0.0.1:${2001 + 10 * index} track api/${name}`),
    ...names.map((name, index) => `  server ${name} 127.0.0.1:${2001 + 10 * index} port ${2003 + 10 * index}`),
    ...names.map((name, index) => `  server ${name} 127.0.0.1:${2002 + 10 * index} track api/${name} send-proxy-v2`),
  ])
  expect(text.match(/^ {2}bind .*/gm)).toEqual(['  bind 127.0.0.1:1000', '  bind 127.0.0.1:1001'])
  expect(text.match(/10\.0\.0|example|^ {2}user/m)).toBeNull()
})

it.skipIf(!existsSync('/usr/sbin/haproxy'))(
  'leads to a node by its name while it runs, ready or not, and to others once it does not',
  async () => {
    const state = { 'node-1': { ready: 200, healthy: 200 }, 'node-2': { ready: 200, healthy: 200 } }
    const nodes = new Map<string, NodePorts>()
    for (const [name, now] of Object.entries(state)) {
      const server = createServer(({ url }, answer) => {
        answer.statusCode = url === '/readyz' ? now.ready : url === '/healthz' ? now.healthy : 200
        answer.end(`${name} ${url}`)
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      onTestFinished(() => void server.close())
      const { port } = server.address() as AddressInfo
      nodes.set(name, { api: port, media: port, rtmp: port, metrics: port })
    }
    const at = { web: await freePort(), rtmp: await freePort() }
    const file = path.join(folder, 'haproxy.cfg')
    writeFileSync(file, haproxyConfig(nodes, at, false))
    const proxy = spawn('/usr/sbin/haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' })
    onTestFinished(() => void proxy.kill())
    const get = (url: string): Promise<string> =>
      fetch(`http://127.0.0.1:${at.web}${url}`).then(
        (answer) => answer.text(),
        () => '',
      )
    const answersOf = async (url: string): Promise<string[]> => {
      const answers = new Set<string>()
      for (let count = 0; count < 6; count++) answers.add(await get(url))
      return [...answers].toSorted()
    }
    await until('the proxy', async () => (await get('/')) !== '')
    state['node-1'].ready = 503
    for (const url of ['/live/a', '/local/a'])
      await until('the node is left', async () => (await answersOf(url)).join() === `node-2 ${url}`)
    expect(await answersOf('/node-1/live/a')).toEqual(['node-1 /live/a'])
    expect(await answersOf('/node-2/live/a')).toEqual(['node-2 /live/a'])
    state['node-1'].healthy = 503
    await until('it is gone', async () => (await answersOf('/node-1/live/a')).join() === 'node-2 /live/a')
  },
)
