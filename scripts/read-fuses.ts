import { wrongFuses } from './packaging/fuses.ts'

/** Reads the fuses of a built binary: `node scripts/read-fuses.ts FILE`; exit 1 with the names of those that are not as stated. */
const [binary] = process.argv.slice(2)
if (binary === undefined) throw new Error('which binary?')
const wrong = await wrongFuses(binary)
process.stdout.write(wrong.length === 0 ? 'every fuse is as stated\n' : `not as stated: ${wrong.join(', ')}\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
