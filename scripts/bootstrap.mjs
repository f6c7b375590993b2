// Runs on Node 20 and newer without a single dependency: installs what is locked, finds Node 24, and runs one of the project's commands
// under it. Everything that it says goes to stderr; stdout belongs to the command.
import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const modules = path.join(root, 'node_modules')
const commands = {
  start: 'scripts/start.ts',
  test: 'scripts/test.ts',
  check: 'scripts/check.ts',
  dev: 'scripts/dev/dev.ts',
  service: 'out/main/service-alone.js',
  cluster: 'scripts/cluster.ts',
}

const say = (line) => {
  process.stderr.write(`sidestage: ${line}\n`)
}
const fail = (line) => {
  say(line)
  process.exit(1)
}

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Why what is installed is not what is locked, or undefined when it is. npm itself writes down what it installed. */
function difference() {
  const locked = readJson(path.join(root, 'package-lock.json'))?.packages
  const installed = readJson(path.join(modules, '.package-lock.json'))?.packages
  if (!locked) return fail('package-lock.json is missing or damaged')
  if (!installed) return 'nothing is installed yet'
  for (const [name, entry] of Object.entries(locked)) {
    if (name === '' || entry.link) continue
    const found = installed[name]
    if (!found) {
      if (!entry.optional) return `${name} is missing`
    } else if (found.version !== entry.version || found.integrity !== entry.integrity)
      return `${name} is another version`
  }
  return undefined
}

function install(why) {
  try {
    accessSync(root, constants.W_OK)
  } catch {
    fail(
      `what is installed is not what is locked (${why}), and this process may not write to ${root}: ` +
        'run npm run --silent service -- --help there once, as a user who may, then start it again',
    )
  }
  say(`installing what is locked (${why}); this takes a minute or two the first time`)
  const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const began = Date.now()
  const done =
    npm && /\.c?js$/.test(npm)
      ? spawnSync(process.execPath, [npm, ...flags], { cwd: root, stdio: ['ignore', 2, 2] })
      : spawnSync('npm', flags, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (done.error) fail(`npm could not be run: ${done.error.message}`)
  if (done.status !== 0)
    fail('npm ci failed, see above: most often the registry is out of reach or the disk is full. Nothing was started.')
  say(`installed in ${Math.round((Date.now() - began) / 1000)} s`)
}

/** Node 24: this one, or the one among the installed packages. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const found = path.join(
    modules,
    `node-${platform}-${process.arch}`,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
  if (existsSync(found)) return found
  return fail(
    `Node 24 is needed and there is no package of it for ${process.platform} ${process.arch}: install Node 24 and try again (this is ${process.versions.node}).`,
  )
}

const [command, ...args] = process.argv.slice(2)
const script = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined
if (!script) fail(`which of ${Object.keys(commands).join(', ')}?`)
if (Number(process.versions.node.split('.')[0]) < 20)
  fail(`Node 20 or newer is needed, this is ${process.versions.node}`)
const why = difference()
if (why) install(why)

const node = findNode()
const delimiter = path.delimiter
const env = {
  ...process.env,
  INIT_CWD: process.env.INIT_CWD ?? process.cwd(),
  PATH: [path.dirname(node), path.join(modules, '.bin'), process.env.PATH ?? process.env.Path ?? ''].join(delimiter),
  ...(command === 'start' || command === 'service' || command === 'cluster'
    ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(modules, '.cache', 'sidestage-compiled') }
    : {}),
}
if (process.platform === 'win32') delete env.Path
// The channel is a tether: when this process is gone, however it went, the command under it ends in order.
const tether = ['--import', new URL('launch-tether.mjs', import.meta.url).href]
// The service runs from its bundle, which needs less memory than the source does.
if (
  (command === 'service' || command === 'cluster') &&
  spawnSync(node, [path.join(root, 'scripts/build.ts')], { env, stdio: ['ignore', 2, 2] }).status !== 0
)
  fail('nothing was started, see above')
// Little lives long in it, and a large young generation only keeps memory from the machine. A node of a cluster serves
// more at once, which would be collected again and again: scripts/cluster/node-program.ts.
const youngGeneration = process.env.SIDESTAGE_REDIS_URL ? 16 : 2
const flags = command === 'service' ? [`--max-semi-space-size=${youngGeneration}`] : []
const child = spawn(node, [...flags, ...tether, path.join(root, script), ...args], {
  cwd: command === 'service' || command === 'cluster' ? process.cwd() : root,
  env,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
})
child.on('error', (error) => {
  fail(`${node} could not be run: ${error.message}`)
})
child.on('exit', (code, signal) => {
  if (signal) process.exit(128 + (signal === 'SIGINT' ? 2 : signal === 'SIGKILL' ? 9 : 15))
  process.exit(code ?? 1)
})
for (const signal of ['SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    child.kill('SIGTERM')
  })
// A terminal sends Ctrl-C to the command as well.
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT')
})
if (process.env.npm_lifecycle_event) {
  // npm that was killed cannot pass a signal on.
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM')
  }, 500).unref()
}
