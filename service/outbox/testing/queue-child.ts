import { startRig } from './rig.ts'

/**
 * A process to be killed: `node queue-child.ts DIR URL COUNT` queues COUNT callbacks, one transaction each, and prints
 * every nId.
 */
const [dataDir, url, count] = process.argv.slice(2) as [string, string, string]
const rig = await startRig({ dataDir })
if ((await rig.callbacks.read(rig.uid)).url !== url) await rig.callbacks.setAddress(rig.uid, url)
process.stdout.write('ready\n')
for (let vid = 1; vid <= Number(count); vid++) process.stdout.write(`${(await rig.enqueue({ vid })).nId}\n`)
process.stdout.write('queued\n')
