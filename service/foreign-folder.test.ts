import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServiceProcess, type ServiceProcess } from './testing/service-process.ts'

/** Numbers of `nobody` and its group on Linux. */
const [uid, gid] = [65_534, 65_534]

let root: string
let data: string
let running: ServiceProcess[]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sidestage-foreign-'))
  chmodSync(root, 0o755)
  data = join(root, 'data')
  running = []
})
afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGKILL')
    await exited
  }
  rmSync(root, { recursive: true, force: true })
})

const free = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
function start(as: 'root' | 'nobody'): ServiceProcess {
  const user = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups', process.execPath]
  const program = join(import.meta.dirname, 'main.ts')
  const args = ['--data', data, ...free]
  const one =
    as === 'root' ? startServiceProcess(args) : startServiceProcess(args, {}, [...user, program], '/usr/bin/setpriv')
  running.push(one)
  return one
}

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('a data folder of another user', () => {
  it('is refused by root, who would leave files in it that its user may not use', async () => {
    mkdirSync(data)
    chownSync(data, uid, gid)
    const one = start('root')
    expect(await one.exited).toBe(1)
    expect(one.log()).toBe(
      `the data folder ${data} belongs to nobody, who could not use what root makes in it: ` +
        'run this command as that user (runuser -u nobody -- …), ' +
        'or give the folder to root (chown -R root), and start again\n',
    )
    expect(readdirSync(data)).toEqual([])
    const own = start('nobody')
    await own.ready
    own.child.kill('SIGTERM')
    expect(await own.exited).toBe(0)
  })

  it.each([
    ['quarantine', 'quarantine'],
    ['recordings', 'recordings'],
    ['files', 'files/incoming'],
    ['lock.db', 'lock.db'],
  ])('is told with what in it may not be written: %s', async (name, told) => {
    mkdirSync(data)
    chownSync(data, uid, gid)
    const first = start('nobody')
    await first.ready
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    const place = join(data, name)
    if (!existsSync(place)) mkdirSync(place)
    chmodSync(place, name.includes('.') ? 0o600 : 0o700)
    chownSync(place, 0, 0)
    const one = start('nobody')
    expect(await one.exited).toBe(1)
    const whose = told === name ? 'which' : `as ${place}`
    expect(one.log()).toContain(
      `this user (nobody) may not write into ${join(data, told)}, ${whose} belongs to root: ` +
        `run "chown -R nobody ${data}" as root, or choose another folder, and start again`,
    )
  })

  it('is told with its database, which may not be read', async () => {
    mkdirSync(data)
    chownSync(data, uid, gid)
    const first = start('nobody')
    await first.ready
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    chownSync(join(data, 'sidestage.db'), 0, 0)
    const one = start('nobody')
    expect(await one.exited).toBe(1)
    expect(one.log()).toContain(
      `may not be read (sidestage.db): it belongs to root; run "chown -R nobody ${data}" as root and start again; ` +
        'there is no copy of it; begin anew',
    )
  })

  it('is told with the folder above it, where it is not there', async () => {
    const one = start('nobody')
    expect(await one.exited).toBe(1)
    expect(one.log()).toContain(
      `this user (nobody) may not write into ${data}, as ${root} belongs to root: ` +
        `run "mkdir -p ${data} && chown nobody ${data}" as root, or choose another folder, and start again`,
    )
  })
})
