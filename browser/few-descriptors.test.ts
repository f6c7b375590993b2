import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openSeatPage, signIn } from '../companion/moderators/testing/seat-page.ts'
import { scratch } from '../companion/testing/rig.ts'
import type { ServiceReady } from '../contract/service-process.ts'
import { promised } from '../service/testing/machine-pace.ts'
import { silentFlood } from '../service/testing/silent-flood.ts'

const entry = path.join(import.meta.dirname, 'testing', 'app-child.ts')
const portOf = (url: string): number => Number(new URL(url).port)

it('saves settings, makes accounts and lets people in while silent connections fill every listener of a process with few descriptors', async () => {
  using folder = scratch()
  const pageDir = path.join(folder.dir, 'page')
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  const dataDir = path.join(folder.dir, 'data')
  mkdirSync(dataDir)
  const child = spawn('prlimit', ['--nofile=256', process.execPath, entry, dataDir, pageDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const ready = JSON.parse(line.toString()) as ServiceReady & { readonly page: string }
    const { origin, hash } = new URL(ready.page)
    const { cookie } = await signIn(origin, { token: hash.replace('#token=', '') })
    const page = await openSeatPage(origin, cookie)
    const { rpc } = page
    const profileId = 'local'
    const { roomid } = await rpc.rooms.create({ profileId, accid: 'ana', name: 'night', announcement: '' })
    const { token, code } = await rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
    const moderators = await rpc.seats.listen({ on: true, open: false, port: 0 })
    const ports = [portOf(origin), moderators.port, ...[ready.baseUrl, ready.mediaUrl, ready.rtmpUrl].map(portOf)]
    const flood = await silentFlood(ports, 300)
    try {
      // Each listener holds some; nobody holds all that the processes have.
      expect(flood.held()).toBeGreaterThan(100)
      await rpc.app.changeSettings({ theme: 'light' })
      expect(JSON.parse(readFileSync(path.join(dataDir, 'settings.json'), 'utf8'))).toMatchObject({ theme: 'light' })
      await rpc.rooms.create({ profileId, accid: 'zoe', name: 'late', announcement: '' })
      // The page, and a moderator's, come in on new connections.
      expect((await fetch(origin)).status).toBe(200)
      await promised(2000, async () => {
        const mei = await signIn(moderators.urls[0]!, { accid: 'mei', token, code })
        expect(mei.status).toBe(204)
        const seat = await openSeatPage(moderators.urls[0]!, mei.cookie)
        expect((await seat.rpc.rooms.say({ profileId, roomid, text: 'good evening' })).msgid).not.toBe('')
        seat.close()
      })
      // A listener that begins anew needs a descriptor of its own.
      expect((await rpc.seats.listen({ on: true, open: false, port: 0 })).phase).toBe('listening')
    } finally {
      flood.end()
      page.close()
    }
  } finally {
    child.kill('SIGTERM')
    await gone
  }
})
