import { execFile } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '..', '..')

/** The folder with the service of this checkout, which `npm run cluster` builds. */
export const ownBuild = path.join(root, 'out', 'main')

/** Builds the service of a commit in a folder, with the packages of this checkout; answers as `ownBuild`. */
export async function buildOf(commit: string, folder: string): Promise<string> {
  const place = path.join(folder, 'before')
  await run('git', ['clone', '-q', '--no-checkout', root, place])
  await run('git', ['checkout', '-q', '--detach', commit], { cwd: place })
  symlinkSync(path.join(root, 'node_modules'), path.join(place, 'node_modules'))
  await run(process.execPath, ['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'error'], {
    cwd: place,
  })
  const built = path.join(place, 'out', 'main')
  if (!existsSync(path.join(built, 'service-alone.js'))) throw new Error(`${commit} has no service to build`)
  return built
}
