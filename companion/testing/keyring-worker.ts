import { randomBytes } from 'node:crypto'
import { systemClock } from '../../platform/clock.ts'
import { loadKeytar, openVault } from '../secrets/keychain-vault.ts'
import { createTargetKeys } from '../targets/target-keys.ts'

/** Uses the system's keychain in a process of its own: `set NAME VALUE`, `get NAME`, `delete NAME`, `names` or `test`; prints what it found as JSON. For keys of targets `keep KEY`, `kept` and `forget`. */
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
/** The key of one target of one channel. */
const [cid, address] = ['c'.repeat(32), 'rtmps://a.example/app']
const keys = createTargetKeys({ vault, entryName: (of) => `folder:${of}`, log: () => undefined })
if (command === 'keep') await keys.keep('local', cid, 7, name, address)
if (command === 'forget') await keys.removeAll('local', cid)
const found =
  command === 'get'
    ? await vault.get(name)
    : command === 'names'
      ? (await vault.names()).sort()
      : command === 'test'
        ? await vault.test()
        : command === 'kept'
          ? [
              await keys.places('local'),
              await keys.read('local', cid, 7, address),
              await keys.read('local', cid, 7, 'rtmp://other.example/app'),
            ]
          : undefined
process.stdout.write(`${JSON.stringify({ mode: vault.mode, value: found })}\n`)
process.exit(0)
