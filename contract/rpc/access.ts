import { z } from 'zod'
import { accessModes, maxEmbedOrigins, passphraseLength } from '../operations/access.ts'
import { onChannel, cid, profileId } from './ids.ts'
import { named } from './named.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const linkId = z.number().int().min(1)

/** Who may watch a channel of the embedded service, as far as it has secrets; the rest are operations. */
export const accessProcedures = {
  update: forPage('Changes who may watch; answers how many players that ended.')
    .input(
      z.strictObject({
        profileId,
        cid,
        mode: z.enum(accessModes).optional(),
        passphrase: secret(z.string().min(passphraseLength.min).max(passphraseLength.max)).optional(),
        closed: z.boolean().optional(),
        embedOrigins: z.array(z.string().max(256)).max(maxEmbedOrigins).optional(),
      }),
    )
    .output(z.object({ ended: z.number() })),
  addLink: forPage('Makes a named link.')
    .input(
      z.strictObject({
        profileId,
        cid,
        name: named(64),
        expires: z.number().int().min(1).optional(),
        maxViewers: z.number().int().min(1).max(1_000_000).optional(),
      }),
    )
    .output(z.object({ linkId: z.number(), url: secret(z.string()) })),
  linkAddress: forPage('The address of a named link, to hand over.')
    .input(z.strictObject({ profileId, cid, linkId }))
    .output(z.object({ url: secret(z.string()) })),
  startVisit: forPage('An address with a one-time mark; whoever opens it from outside reports what works there.')
    .input(onChannel)
    .output(z.object({ visitId: z.string(), url: secret(z.string()), expires: z.number() })),
}
