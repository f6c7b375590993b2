import { expect, test } from 'playwright/test'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { networkFault } from '../network/hosts.ts'
import { expectWithin } from '../pace.ts'
import { allowedCodes } from './failure-watch.ts'
import { bounds, makeFailure } from './failures.ts'

/** The failures of docs/decisions/035-failures.md that only a network can show; `npm run soak:failures` makes all. */
const fault = missingPackages().length > 0 ? `not installed: ${missingPackages().join(', ')}` : networkFault()
test.skip(fault !== undefined, fault)

for (const name of ['node-without-postgres', 'node-cut-off'])
  test(`${name}: nothing acknowledged is lost, calls end, and all is well soon after`, async () => {
    test.setTimeout(180_000)
    const { acknowledged, lost, twice, codes, wronglyReady, longestCall, allWell } = await makeFailure(name)
    expect(acknowledged).toBeGreaterThan(0)
    expect({ lost, twice, wronglyReady }).toEqual({ lost: 0, twice: 0, wronglyReady: [] })
    expect(codes.filter((code) => !allowedCodes.includes(code))).toEqual([])
    expectWithin(longestCall, bounds.call)
    expectWithin(allWell, bounds.well)
  })
