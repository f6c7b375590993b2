import { randomBytes } from 'node:crypto'
import { systemClock } from '../../platform/clock.ts'
import { loadKeytar, openVault } from '../secrets/keychain-vault.ts'

/** Uses the system's keychain in a process of its own: `set NAME VALUE`, `get NAME`, `delete NAME`, `names` or `test`; prints what it found as JSON. */
const [command, name = '', value = ''] = process.argv.slice(2)
const vault = await openVault({
  clock: systemClock,
  load: loadKeytar,
  platform: process.platform,
  environment: process.env,
  random: randomBytes,
})
if (command === 'set') await vault.set(name, value)
if (command === 'delete') await vault.delete(name)
const found =
  command === 'get'
    ? await vault.get(name)
    : command === 'names'
      ? (await vault.names()).sort()
      : command === 'test'
        ? await vault.test()
        : undefined
process.stdout.write(`${JSON.stringify({ mode: vault.mode, value: found })}\n`)
process.exit(0)
