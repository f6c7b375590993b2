import { randomBytes } from 'node:crypto'
import { openProfiles } from '../profiles/profiles.ts'
import { sessionVault } from '../secrets/session-vault.ts'

/** Changes profiles without end in a process of its own, until it is killed. */
const profiles = await openProfiles({
  dataDir: process.argv[2] ?? '',
  vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
  random: randomBytes,
})
const entry = {
  name: 'x'.repeat(60),
  liveUrl: 'https://live.example',
  messagingUrl: 'https://im.example',
  appKey: 'key',
  appSecret: 'secret',
}
const { id } = profiles.all().find((one) => one.kind === 'hosted') ?? (await profiles.add(entry))
process.send?.('writing')
for (let round = 0; ; round++) {
  await profiles.update(id, { name: `${round} ${'y'.repeat(round % 50)}` })
  if (profiles.all().length < 40) await profiles.add(entry)
}
