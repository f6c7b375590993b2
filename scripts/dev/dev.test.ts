import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { scratch, until } from '../../companion/testing/rig.ts'

const root = path.join(import.meta.dirname, '..', '..')
/** The status that an address answers with. */
const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    http
      .get(url, { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      .on('error', reject)
  })

it(
  'gives the page from its sources, signed in for itself alone, starts the app again when its sources change, and ends with it',
  { timeout: 240_000 },
  async () => {
    using folder = scratch()
    const ports = ['--port', '0', '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
    const child = spawn(
      process.execPath,
      [path.join(root, 'scripts', 'dev', 'dev.ts'), '--no-open', '--data', folder.dir, ...ports],
      { cwd: root },
    )
    let said = ''
    child.stderr.on('data', (text: Buffer) => (said += text.toString()))
    try {
      const lines = createInterface({ input: child.stdout })
      const [line] = (await once(lines, 'line')) as [string]
      const { event, url } = JSON.parse(line) as { event: string; url: string }
      expect(event).toBe('ready')
      const page = await (await fetch(url)).text()
      expect(page).toContain('/@vite/client')
      expect(await statusOf(`${url}session`)).toBe(204)
      expect(await statusOf(`${url}session`, { origin: 'http://elsewhere.example' })).toBe(404)
      expect(await statusOf(`${url}session`, { 'sec-fetch-site': 'cross-site' })).toBe(404)
      expect(await statusOf(`${url}session`, { host: 'elsewhere.example' })).toBe(403)
      const upgrade = (origin: string) =>
        new Promise((resolve) => {
          const socket = new WebSocket(`${url.replace('http', 'ws')}rpc`, { headers: { origin } })
          socket.on('open', () => resolve('open')).on('error', () => resolve('refused'))
          socket.on('open', () => socket.close())
        })
      expect([await upgrade(new URL(url).origin), await upgrade('http://elsewhere.example')]).toEqual([
        'open',
        'refused',
      ])
      const starts = () => said.match(/the app runs/g)?.length
      expect(starts()).toBe(1)
      // As an editor that saves what it was given.
      const source = path.join(root, 'scripts', 'dev', 'app.ts')
      writeFileSync(source, readFileSync(source))
      await until('a second start', () => starts() === 2, 60_000)
      expect(await statusOf(`${url}session`)).toBe(204)
    } finally {
      child.kill('SIGTERM')
    }
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(code).toBe(0)
  },
)
