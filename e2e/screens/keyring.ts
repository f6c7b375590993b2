import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Set in a process that has a keychain of its own. */
const mark = 'SIDESTAGE_SCREENS_KEYRING'
/** By its place: it is no tool of the project's. */
const session = '/usr/bin/dbus-run-session'
const script = `printf 'pw\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null; "$@"; status=$?; kill $(jobs -p) 2>/dev/null; exit $status`

/** Whether this process still needs a keychain: most people have one, a bare machine has none, and nobody's own is to be touched. */
export const needsKeyring = (): boolean =>
  process.env[mark] === undefined && [session, '/usr/bin/gnome-keyring-daemon'].every((file) => existsSync(file))

/** Runs this very command again with an empty keychain that ends with it; answers its exit code. */
export async function runWithKeyring(): Promise<number> {
  const home = mkdtempSync(path.join(tmpdir(), 'sidestage-keyring-'))
  const runtime = path.join(home, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const env = {
    ...process.env,
    [mark]: '1',
    HOME: home,
    XDG_DATA_HOME: path.join(home, 'data'),
    XDG_RUNTIME_DIR: runtime,
  }
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(
        session,
        ['--', 'bash', '-c', script, 'screens', process.execPath, ...process.argv.slice(1)],
        { env, stdio: 'inherit' },
      )
      child.once('error', reject)
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
