import { parseArgs } from 'node:util'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { allowedCodes } from '../cluster/failure-watch.ts'
import { bounds, failures, makeFailure, missingFor } from '../cluster/failures.ts'
import { networkFault } from '../network/hosts.ts'

/**
 * `npm run soak:failures -- [--only ROW]`: each failure of docs/decisions/035-failures.md under load, nodes and engines
 * on computers of their own in network namespaces. One line of JSON for each (`FailureFigures`), or why it cannot be
 * made here. Ends with 1 when something acknowledged is lost or there twice, or a bound is not kept.
 */
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const names = values.only === undefined ? Object.keys(failures) : [values.only]
if (!names.every((name) => failures[name])) throw new Error(`--only must be one of ${Object.keys(failures).join(', ')}`)
const fault = missingPackages().length > 0 ? `not installed: ${missingPackages().join(', ')}` : networkFault()
if (fault !== undefined) throw new Error(fault)
let areGood = true
for (const name of names) {
  const missing = missingFor(name)
  if (missing !== undefined) {
    console.error(`${name}: ${missing}`)
    continue
  }
  const figures = await makeFailure(name)
  const isGood =
    figures.lost + figures.twice + figures.wronglyReady.length + figures.faults.length === 0 &&
    figures.codes.every((code) => allowedCodes.includes(code)) &&
    figures.longestCall <= bounds.call &&
    figures.allWell <= bounds.well
  areGood &&= isGood
  console.log(JSON.stringify({ name, ...figures, isGood }))
}
process.exitCode = areGood ? 0 : 1
