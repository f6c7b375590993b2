import { build, Platform } from 'electron-builder'
import { isSigned, packaging } from './packaging/configuration.ts'

/** `npm run package`: installers of this system from what `npm run build` made, signed where the environment has the values; `--dir` only unpacked. */
const platform = process.platform
if (platform !== 'win32' && platform !== 'darwin' && platform !== 'linux')
  throw new Error(`nothing is packaged on ${platform}`)
if (platform !== 'linux' && !isSigned(platform, process.env))
  process.stderr.write('sidestage: this build is UNSIGNED: the environment has no signing values (docs/release.md)\n')
const target = { win32: Platform.WINDOWS, darwin: Platform.MAC, linux: Platform.LINUX }[platform]
const files = await build({
  targets: target.createTarget(process.argv.includes('--dir') ? 'dir' : null),
  config: packaging(platform, process.env),
  publish: 'never',
})
for (const file of files) process.stdout.write(`${file}\n`)
