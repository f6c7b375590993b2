import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import { startServiceProcess } from '../../service/testing/service-process.ts'
import { signedClient } from '../../service/testing/signed-client.ts'
import { codeBlocks, readPages, root } from './pages.ts'

/** The units for systemd, and what docs/guide/en/service-alone.md does with them. */
const [page] = readPages('docs/guide/en/service-alone.md')
const readUnit = (name: string): string => readFileSync(path.join(root, 'resources/systemd', name), 'utf8')
const units = ['sidestage.service', 'sidestage@.service']
const unit = readUnit('sidestage.service')
const command = /^ExecStart=(.+)$/m.exec(unit)![1]!.split(' ')
const isWithoutSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0
/** Of 10, where less is safer; what the units came to with systemd 252, and a little for other versions. */
const mostExposed = 2.2

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-unit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.skipIf(isWithoutSystemd).each(units)(
  'systemd finds nothing wrong with %s (skipped without systemd-analyze)',
  (name) => {
    const file = path.join(folder, name)
    writeFileSync(file, readUnit(name).replace(command[0]!, process.execPath))
    // A template is read as one of its instances.
    const asked = file.replace('@.', '@one.')
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', asked], { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  },
)

it.skipIf(isWithoutSystemd).each(units)('%s leaves little to a service that was taken over', (name) => {
  const file = path.join(folder, name)
  writeFileSync(file, readUnit(name).replace(command[0]!, process.execPath))
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], {
    encoding: 'utf8',
  })
  const said = /Overall exposure level for .*: ([\d.]+)/.exec(stdout)
  console.log(said?.[0] ?? stdout)
  expect(Number(said?.[1])).toBeLessThan(mostExposed)
})

it('one node of a cluster is held to what the service alone is', () => {
  const settings = (name: string): string[] =>
    readUnit(name)
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line) && !/^(?:Description|EnvironmentFile|ExecStart|StateDirectory)=/.test(line))
  expect(settings('sidestage@.service')).toEqual(settings('sidestage.service'))
})

it.skipIf(process.platform === 'win32')('what the unit starts ends with 0 when systemd stops it', async () => {
  expect(command.slice(0, 3)).toEqual(['/usr/bin/node', 'scripts/bootstrap.mjs', 'service'])
  expect(command.at(-1)).toBe('$SIDESTAGE_OPTIONS')
  const args = command.slice(1, -1).map((word) => (word.startsWith('/var/lib') ? path.join(folder, 'data') : word))
  const child = spawn(
    process.execPath,
    [...args, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    // systemd signals each process of the unit.
    { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  process.kill(-child.pid!, 'SIGTERM')
  expect(await ended).toBe(0)
})

/** Stand in for systemd: one names what it is asked, the other runs a command as the user, with the environment. */
const systemd = `
systemctl() { echo "systemctl $*"; }
systemd-run() {
  local user=root
  while [[ $1 == -* ]]; do
    if [[ $1 == -p ]]; then
      case $2 in
        User=*) user=\${2#*=} ;;
        WorkingDirectory=*) cd "\${2#*=}" ;;
        EnvironmentFile=*) export $(cat "\${2#*=}") ;;
      esac
      shift
    fi
    shift
  done
  setpriv --reuid "$user" --regid nogroup --clear-groups "$@"
}
`

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a copy is put back as the user of the unit, who can use all that is in the folder then',
  async () => {
    const credentials = { appKey: 'my-app', appSecret: 'choose-a-long-one' }
    const environment = { SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret }
    const data = path.join(folder, 'sidestage')
    const file = path.join(folder, 'sidestage.env')
    writeFileSync(
      file,
      Object.entries(environment)
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    )
    chmodSync(folder, 0o755)
    mkdirSync(data)
    const own = (): Buffer => execFileSync('chown', ['-R', 'nobody', data])
    own()
    const main = path.join(root, 'service/main.ts')
    const start = () => {
      const user = ['--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups', process.execPath, main]
      const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
      return startServiceProcess(['--data', data, ...ports], environment, user, 'setpriv')
    }
    const first = start()
    await signedClient((await first.ready).baseUrl, credentials).call(live.create, { name: 'kept' })
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    mkdirSync(path.join(data, 'copies'))
    const database = path.join(data, 'sidestage.db')
    copyFileSync(database, path.join(data, 'copies', 'sidestage-2026-06-01T11-00-00Z.db'))
    writeFileSync(database, Buffer.alloc(8192, 'no database '))
    own()

    const paste = codeBlocks(page!).find(({ code }) => code.includes('systemd-run'))!.code
    const text = paste
      .replace('User=sidestage', 'User=nobody')
      .replace('/opt/sidestage', root)
      .replace('/etc/sidestage.env', file)
      .replace('/var/lib', folder)
      .replace('/usr/bin/node scripts/bootstrap.mjs service', `${process.execPath} ${main}`)
    const shell = spawn('bash', ['-uc', systemd + text], { stdio: ['ignore', 'pipe', 'ignore'] })
    let said = ''
    shell.stdout.setEncoding('utf8').on('data', (part: string) => (said += part))
    const ended = new Promise((resolve) => shell.once('close', (code, signal) => resolve(signal ?? code)))
    await expect.poll(() => said, { timeout: 60_000 }).toContain('"ready"')
    process.kill(Number(readFileSync(path.join(data, 'lock.pid'), 'utf8')), 'SIGINT')
    expect(await ended).toBe(0)
    expect(said.split('\n').filter((line) => line.startsWith('systemctl'))).toEqual([
      'systemctl stop sidestage',
      'systemctl start sidestage',
    ])
    const owners = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(path.join(data, name)).uid,
    )
    expect(new Set(owners)).toEqual(new Set([statSync(data).uid]))

    const again = start()
    const { list } = (await signedClient((await again.ready).baseUrl, credentials).call(live.list, {})).ret!
    expect(list.map(({ name }) => name)).toEqual(['kept'])
    again.child.kill('SIGTERM')
    expect(await again.exited).toBe(0)
  },
  120_000,
)
