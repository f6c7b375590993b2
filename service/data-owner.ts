import { statSync } from 'node:fs'
import { userName } from '../platform/denied-place.ts'
import { SwitchFault } from './switch-fault.ts'

/** Refuses root a data folder of another user, who could not use what root makes in it. Throws SwitchFault. */
export function requireOwner(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid ?? 0
  if (process.getuid?.() !== 0 || owner === 0) return
  const name = userName(owner)
  // Who has no name here is named by the number, as sudo takes it.
  const command = /^\d+$/.test(name) ? `sudo -u '#${name}'` : `runuser -u ${name} --`
  throw new SwitchFault(
    `the data folder ${dataDir} belongs to ${name}, who could not use what root makes in it: ` +
      `run this command as that user (${command} …), or give the folder to root (chown -R root), and start again`,
  )
}
