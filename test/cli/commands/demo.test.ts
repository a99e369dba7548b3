import { expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

test('the demo shows a file, a resume and a refusal in at most 40 lines, and exits with 0', async () => {
  const { status, stdout, stderr } = await retrieve(['demo'])
  expect(status).toBe(0)
  const [file = '', resume = '', refusal = '', end] = stdout.split('\n\n')
  expect(file).toMatch(/\$ retrieve http:\S+hello\.txt\nHello\. .*\n# The body goes to standard output\.$/)
  expect(resume).toMatch(/\$ retrieve -o \S+disk\.img ftp:\S+disk\.img\n# The file has 8000000 octets, the same as on /)
  expect(stderr).toMatch(
    /^retrieve: ftp:\S+disk\.img: .*3000000 octets have come\. Going on at octet 3000000 in .* s\.\n$/,
  )
  expect(refusal).toMatch(/\$ retrieve explain gopher:\S+\nREFUSED: Port 25 is for mail;.*--allow-port 25 permits it\./)
  expect(refusal).toMatch(/ {2}sends {4}\\r\\n\n.*\n# Exit status 9: nothing was sent\.$/)
  expect(end).toMatch(/^All went as it should\. [^\n]*\nIn the clone, [^\n]*\n$/)
  expect(`${stdout}${stderr}`.split('\n').length).toBeLessThanOrEqual(40)
})
