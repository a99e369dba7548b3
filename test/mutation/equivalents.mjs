/**
 * Changes that no test can notice, with the reason: `code` and `change` as pnpm mutate prints them. A row that no
 * survivor of its file has is listed as one too many.
 */
const of = (file, rows) => rows.map(([code, change, reason]) => ({ file: `packages/${file}`, code, change, reason }))

export const equivalents = [
  ...of('core/src/url/host.ts', [['/[A-Z]+/g', '/[A-Z]/g', 'It lower-cases one letter after the other.']]),
  ...of('fetchers/src/client/policy.ts', [
    [
      'addresses[0] !== undefined',
      'true',
      'A look-up gives an address or an error; the guard is for a resolver that lies.',
    ],
    ["'port' in plan && plan.host", 'true', 'Only a plan with a host goes through a proxy; types ask for the test.'],
    ["'port' in plan && plan.host", "'port' in plan || plan.host", 'Only a plan with a host goes through a proxy.'],
    ['plan.host === null', 'false', 'isIP(null) is 0, too; types ask for the test.'],
    ['[]', '["Stryker was here"]', 'Without publicOnly nobody reads them, and without exceptions all are refused.'],
  ]),
  ...of('fetchers/src/client/redirect.ts', [
    ['user === null', 'false', 'It saves a second look at a URL without a login.'],
    ["origin(one) !== ''", 'true', 'No URL without a host redirects or is linked from with a login.'],
    ['request.http !== undefined', 'true', 'An empty group of options means the same as none.'],
  ]),
  ...of('fetchers/src/auth/digest.ts', [
    ['[]', '["Stryker was here"]', 'The pattern matches any algorithm; types ask for the list.'],
    ['/^(.*?)(-sess)?$/i', '/(.*?)(-sess)?$/i', 'A search begins at the beginning.'],
    ['hash === undefined', 'false', 'getHashes() has no undefined, either.'],
    [
      'hash === undefined || !getHashes().includes(hash)',
      'hash === undefined && !getHashes().includes(hash)',
      'Only a Node in FIPS mode has fewer hashes than we know.',
    ],
    [String.raw`/[\s,]+/`, String.raw`/[\s,]/`, 'Empty words among those of qop say nothing.'],
  ]),
  ...of('fetchers/src/auth/sent-secrets.ts', [
    ['[]', '["Stryker was here"]', 'No answer holds the secret that this adds.'],
    [String.raw`/^(\w+) +(\S.*)$/s`, String.raw`/(\w+) +(\S.*)$/s`, 'It masks a part of a secret, too.'],
    [String.raw`/^(\w+) +(\S.*)$/s`, String.raw`/^(\w+) +(\S.*)/s`, 'The dot takes all that is left.'],
    ['!/^basic$/i.test(scheme)', 'false', 'It masks what a token would be in Base64, too.'],
    ['/^basic$/i', '/basic$/i', 'It masks what a token would be in Base64, too.'],
    ['/^basic$/i', '/^basic/i', 'It masks what a token would be in Base64, too.'],
  ]),
  ...of('fetchers/src/auth/authenticator.ts', [
    ['false', 'true', 'A caller without this argument has no login.'],
    ['offer.isStale', 'true', 'Requests go side by side only after the first of them was answered.'],
    ['this.#authenticator.login !== this.#sent', 'false', 'Either of two new nonces is right; it saves one of them.'],
  ]),
  ...of('fetchers/src/auth/challenge.ts', [
    ['scheme === null', 'false', 'Behind what is no scheme, nothing matches.'],
    ['scheme === undefined', 'false', 'Behind what is no token, no end of a scheme matches.'],
    [
      'scanner.read(assignment)?.[1]?.toLowerCase',
      'scanner.read(assignment)?.[1].toLowerCase',
      'The group is there if the pattern matches.',
    ],
    ['{ return this.#at >= this.#text.length }', '{}', 'At the end, nothing matches, which ends the loop, too.'],
    ['this.#at >= this.#text.length', 'false', 'At the end, nothing matches, which ends the loop, too.'],
    ['this.#at >= this.#text.length', 'this.#at > this.#text.length', 'At the end, nothing matches.'],
  ]),
  ...of('fetchers/src/auth/found-login.ts', [
    [
      '() => this.end()',
      '() => undefined',
      'The end of a try gives the claim back in two ways: this one, and its fetcher.',
    ],
    ['this.end()', ';', 'The end of a try gives the claim back, too.'],
    ['this.#unlink()', ';', 'A claim that is given back twice is given back.'],
    ['!this.isRemembered', 'true', 'What is kept already is kept.'],
    ...['keep', 'forget'].map((name) => [
      `this.#context.acceptedLogins?.${name}`,
      `this.#context.acceptedLogins.${name}`,
      'Each context of a client has them; types ask for the test.',
    ]),
    ...['recall', 'claimed'].map((name) => [
      `acceptedLogins?.${name}`,
      `acceptedLogins.${name}`,
      'Each context of a client has them; types ask for the test.',
    ]),
    ['acceptedLogins === undefined', 'false', 'Each context of a client has them; types ask for the test.'],
    [
      "url.slice(0, url.indexOf(':')).toLowerCase()",
      "url.slice(0, url.indexOf(':')).toUpperCase()",
      'Nobody sees the key.',
    ],
  ]),
  ...of('fetchers/src/auth/server-login.ts', [
    ['user === null', 'false', 'A URL without a user has no password, and octetsToText(null) is null.'],
    ['{ this.#found?.end() }', '{}', 'The end of a try gives the claim back, too.'],
  ]),
  ...of('fetchers/src/kit/deadline.ts', [
    ['[]', '["Stryker was here"]', 'A signal that calls has its functions; types ask for the list.'],
    ['known === undefined', 'true', 'A listener that is added again is the same one.'],
    ['heeding.get(signal) !== aborts', 'false', 'A signal that has aborted may lose its listener.'],
    ['heeding.delete(this)', ';', 'A signal aborts only once.'],
    ['whole === undefined', 'true', 'The timer of the whole is always over first.'],
    ['forget()', ';', 'A promise that is settled stays so.'],
    ['this.end()', ';', 'The end of the retrieval ends its deadline, too.'],
  ]),
  ...of('fetchers/src/client/batch/batch.ts', [
    ['this.#isOver', 'false', 'After the end nobody takes an outcome.'],
    ['true', 'false', 'After the end nobody takes an outcome.'],
    ['false', 'true', 'Nothing is retrieved before the caller waits for the first outcome.'],
    ['this.#client.end()', ';', 'Only memory shows that a batch is forgotten.'],
    ...[
      ['this.#places?.isWanted', 'this.#places.isWanted'],
      ['this.#places?.isBlocking', 'this.#places.isBlocking'],
      ['signal?.reason', 'signal.reason'],
      ['this.#reader?.isInMemory', 'this.#reader.isInMemory'],
    ].map((row) => [...row, 'It is there by then; types ask for the test.']),
    ['!this.#use.isLent', 'this.#use.isLent', 'Only a process of its own shows whether a timer keeps it alive.'],
    ...[
      ['this.#use.isLent && job.body?.isOver === false', 'true'],
      ['this.#use.isLent && job.body?.isOver === false', 'this.#use.isLent || job.body?.isOver === false'],
      ['job.body?.isOver === false', 'true'],
    ].map((row) => [...row, 'A body that is over is left out when the bodies are looked at.']),
    ...[
      ...['true', 'false', 'this.#share.waiting >= maxResolved', 'this.#share.waiting <= maxResolved'].map((change) => [
        'this.#share.waiting > maxResolved',
        change,
      ]),
      ['job.forgetResolution()', ';'],
    ].map((row) => [...row, 'Only memory and time show when a URL is resolved again.']),
  ]),
  ...of('fetchers/src/client/batch/batch-job.ts', [
    ['-1', '+1', 'A roster looks which member is at the slot.'],
    ['{ this.#resolution = null }', '{}', 'Only memory and time show when a URL is resolved again.'],
    ...[
      ['this.#forget()', ';'],
      [
        '{ this.#resolution = null this.#giveBack = () => {} if (this.body?.isOver !== false) this.retrieval = null }',
        '{}',
      ],
      ['this.body?.isOver !== false', 'false'],
    ].map((row) => [...row, 'Only memory shows that a retrieval is forgotten.']),
    ['options.signal === undefined', 'false', 'run() heeds the signal of the URL, too.'],
  ]),
  ...of('fetchers/src/client/batch/of-client.ts', [
    ...[
      ['batchesOf.has(parts)', 'false'],
      ['batchesOf.set(parts, made)', ';'],
    ].map((row) => [...row, 'Only memory shows that the batches of a client are kept in one list.']),
  ]),
  ...of('fetchers/src/client/batch/server-state.ts', [
    ['state !== undefined', 'true', 'A state that is undefined is none.'],
  ]),
  ...of('fetchers/src/client/batch/tree-client.ts', [
    ['async () => seats.end()', '() => undefined', 'Only memory shows that a tree is forgotten.'],
  ]),
  ...of('fetchers/src/client/batch/batches.ts', [
    [
      '() => this.#running.delete(batch)',
      '() => undefined',
      'A batch that is over heeds no close(); only memory shows it.',
    ],
  ]),
  ...of('fetchers/src/client/batch/client-places.ts', [
    ...[
      ...['true', 'false', 'this.#hosts.size > this.#sweepAt', 'this.#hosts.size < this.#sweepAt'].map((change) => [
        'this.#hosts.size >= this.#sweepAt',
        change,
      ]),
      [
        '{ for (const [name, host] of this.#hosts) if (host.isIdle) this.#hosts.delete(name) this.#sweepAt = Math.max(maxHosts, 2 * this.#hosts.size) }',
        '{}',
      ],
      ['host.isIdle', 'false'],
      ['this.#hosts.delete(name)', ';'],
      ['Math.max(maxHosts, 2 * this.#hosts.size)', 'Math.min(maxHosts, 2 * this.#hosts.size)'],
      ['2 * this.#hosts.size', '2 / this.#hosts.size'],
    ].map((row) => [...row, 'Only time and memory show when idle hosts are forgotten; tests show which ones are not.']),
    ...[
      ['job.lane?.server', 'job.lane.server'],
      ['job.lane === null', 'false'],
    ].map((row) => [...row, 'A seat tells only while it has a lane; types ask for the test.']),
    ['job === undefined', 'false', 'A lane that is ready has a job; types ask for the test.'],
    [
      'left.filter(({ isBack }) => !isBack)',
      'left',
      'A job that has gone on without a place is begun a second time, which does nothing.',
    ],
    ['this.#begin(lane)', ';', 'advance() follows, and begins a job in the place that was taken.'],
    ['this.#sweep()', ';', 'Only memory shows that idle hosts are forgotten.'],
  ]),
  ...of('fetchers/src/client/batch/host.ts', [
    ...[
      ['rates.length === 0', 'false'],
      ['rates.length === 0 && trouble === null', 'false'],
    ].map((row) => [...row, 'It saves the work: without a rate nobody rests.']),
    ...[
      ['({ cap }) => cap', '() => undefined'],
      ...['true', 'false', 'this.#begun.length >= longest * 2', 'this.#begun.length <= longest * 2'].map((change) => [
        'this.#begun.length > longest * 2',
        change,
      ]),
      ['longest * 2', 'longest / 2'],
      ['this.#begun.slice(-longest)', 'this.#begun'],
      ['-longest', '+longest'],
    ].map((row) => [...row, 'Only memory shows which times are kept beyond those that the rates look back upon.']),
    ['server.held.pop()?.()', 'server.held.pop()()', 'More than none are some; types ask for the test.'],
    ['time >= this.#timerAt', 'time > this.#timerAt', 'A second timer for the same time is as good as the first.'],
    ['at !== -1', 'true', 'A lane is removed once: those that come later get another one.'],
    ...['false', 'at === -1'].map((change) => ['at !== -1', change, 'Only memory shows that lanes are forgotten.']),
    ['-1', '+1', 'Only memory shows that lanes are forgotten.'],
    ['this.lanes.splice(at, 1)', ';', 'Only memory shows that lanes are forgotten.'],
    ...[
      [
        '{ const now = performance.now() if (this.lanes.length > 0 || this.#restedAt > now) return false return this.#servers.every(({ trouble }) => trouble === null || trouble.until <= now) }',
        '{}',
      ],
      ['this.lanes.length > 0 || this.#restedAt > now', 'true'],
      ...['true', 'this.lanes.length >= 0'].map((change) => ['this.lanes.length > 0', change]),
      ...['true', 'this.#restedAt >= now'].map((change) => ['this.#restedAt > now', change]),
      ['({ trouble }) => trouble === null || trouble.until <= now', '() => undefined'],
      ['trouble === null || trouble.until <= now', 'false'],
      ...['false', 'trouble.until < now'].map((change) => ['trouble.until <= now', change]),
    ].map((row) => [...row, 'Only memory shows that idle hosts are forgotten; tests show which ones are not.']),
  ]),
  ...of('fetchers/src/client/batch/seat.ts', [
    ['this.#coming?.resolve', 'this.#coming.resolve', 'Only one that waits begins; types ask for the test.'],
    ['this.lane?.server', 'this.lane.server', 'Only one with a place looks; types ask for the test.'],
    ['server === undefined', 'false', 'Without a lane there is no place; types ask for the test.'],
  ]),
  ...of('fetchers/src/client/batch/source.ts', [
    ['priorityOf(entry) !== 0', 'true', 'It saves a sort of elements that have their order already.'],
  ]),
  ...of('fetchers/src/client/batch/server.ts', [
    [
      'this.#answers + this.#failures > recent',
      'this.#answers + this.#failures >= recent',
      'Older answers count for half from the 64th on, or from the 65th.',
    ],
  ]),
  ...of('fetchers/src/client/batch/trouble.ts', [
    ['job.lane?.share', 'job.lane.share', 'A job that fails has a lane; types ask for the test.'],
  ]),
  ...of('fetchers/src/client/batch/waiting-list.ts', [
    [
      'elements[at - 1]?.priority',
      'elements[at - 1].priority',
      'Behind the first element there is one; types ask for the test.',
    ],
    ...[
      ['this.#first * 2 > this.#elements.length', 'true'],
      ['this.#first * 2 > this.#elements.length', 'false'],
      ['this.#first * 2 > this.#elements.length', 'this.#first * 2 >= this.#elements.length'],
      ['this.#first * 2 > this.#elements.length', 'this.#first * 2 <= this.#elements.length'],
      ['this.#first * 2', 'this.#first / 2'],
      ['{ this.#elements = this.#elements.slice(this.#first) this.#first = 0 }', '{}'],
    ].map((row) => [...row, 'Only time and memory show when the room of elements that were taken is used again.']),
  ]),
  ...of('fetchers/src/client/batch/unread-bodies.ts', [
    ...[
      ['this.#passedBy.shift()?.body?.endPassedBy', 'this.#passedBy.shift()?.body.endPassedBy'],
      ['this.#passedBy.shift()?.body', 'this.#passedBy.shift().body'],
    ].map((row) => [...row, 'More than `most` are some, and each has a body; types ask for the tests.']),
  ]),
  ...of('fetchers/src/client/batch/use.ts', [
    ['RetrievalError.is(cause)', 'true', 'A client throws RetrievalErrors only.'],
    ["{ phase: 'request', cause, }", '{}', 'A client throws RetrievalErrors only.'],
  ]),
  ...of('fetchers/src/protocols/http/cache/directory-store.ts', [
    ['process.getuid === undefined', 'false', 'Only Windows has no user ids, and the tests run on Linux.'],
    ['stored.body === null', 'false', 'Only GET is opened, which has a body; types ask for the test.'],
    ['() => false', '() => undefined', 'Undefined is as false as false.'],
    ...['true', 'this.#excess >= 0'].map((change) => [
      'this.#excess > 0',
      change,
      'A sweep of a folder that has room removes nothing more.',
    ]),
  ]),
  ...of('fetchers/src/protocols/http/cache/cache-lookup.ts', [
    ['match !== null', 'true', 'Without a match there is no use of it; types ask for the test.'],
    ['context.deadline.reason !== null', 'false', 'What ends a retrieval is no error of a server out of reach.'],
    [String.raw`/^\d+ ?/`, String.raw`/\d+ ?/`, 'A reply begins with its status.'],
    ...[
      ['(size ?? 0) > this.#maxSize', 'false'],
      ['size ?? 0', 'size && 0'],
    ].map((row) => [...row, 'A body beyond the limit is also given up while it is stored.']),
  ]),
  ...of('fetchers/src/protocols/http/cache/freshness.ts', [
    ['[]', '["Stryker was here"]', 'Neither list has the second element that would be a name.'],
    ['false', 'true', 'Whether the request had a login concerns shared caches alone.'],
    ['!numeric.has(name)', 'false', 'A directive is in force with the value 0, too; no number of these is read.'],
  ]),
  ...of('fetchers/src/protocols/http/cache/directory-sweep.ts', [
    ...[
      ['files.sort((one, other) => Number(isIndex(other)) - Number(isIndex(one)))', 'files'],
      ['(one, other) => Number(isIndex(other)) - Number(isIndex(one))', '() => undefined'],
      ['Number(isIndex(other)) - Number(isIndex(one))', 'Number(isIndex(other)) + Number(isIndex(one))'],
    ].map((row) => [...row, 'Only a process that is killed between the two shows which file went first.']),
    ['files.length === 2 && files.some(isIndex)', 'false', 'It saves a look into the index.'],
    ['files.some(isIndex)', 'files.every(isIndex)', 'It saves a look into the index.'],
    [
      'Date.now() - file.modified > abandoned',
      'Date.now() - file.modified >= abandoned',
      'It concerns a leftover of an hour to the millisecond.',
    ],
    ['() => null', '() => undefined', 'An index that cannot be read names nothing, whichever stands for it.'],
  ]),
  ...of('fetchers/src/protocols/http/cache/stored-body.ts', [['this.#forget()', ';', 'A second end changes nothing.']]),
  ...of('fetchers/src/protocols/http/cache/storing-body.ts', [
    ['this.#forget()', ';', 'What is over is not dropped again.'],
  ]),
  ...of('fetchers/src/protocols/http/cache/memory-store.ts', [
    ['all.length === 0', 'false', 'A list without responses answers nothing; it takes a few octets.'],
    ['[]', '["Stryker was here"]', 'A text has no method, and matches no request.'],
    ['body === null', 'false', 'No body has that name.'],
    ...[
      ['{ this.#bodies.delete(name) }', '{}'],
      ['this.#bodies.delete(name)', ';'],
      ['{ this.#groups.clear() this.#bodies.clear() }', '{}'],
      ['this.#groups.clear()', ';'],
      ['this.#bodies.clear()', ';'],
    ].map((row) => [...row, 'Only memory shows that a given-up body, or a closed store, is forgotten.']),
    ['chunk.slice()', 'chunk', 'Only memory shows the room behind a chunk, which is copied when it is read, too.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/head-reader.ts', [
    ...['true', 'end <= 0'].map((change) => [
      'end < 0',
      change,
      'Only time shows whether octets of the body are made text with the head.',
    ]),
    ...['true', 'before <= protocol.length'].map((change) => [
      'before < protocol.length',
      change,
      'It saves a second look at the beginning of a line.',
    ]),
    ['usual === null', 'true', 'What reads unusual fields reads usual ones more slowly.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/framing.ts', [
    ['name.length === 14', 'true', 'It saves a comparison of texts.'],
    ['coding === undefined && isNumber(length)', 'false', 'One sound length is returned as it was.'],
    ['different !== undefined', 'true', 'Undefined is no number.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/body.ts', [
    ['this.#isOver', 'false', 'What reads a body does not read on after its end, and a second end changes nothing.'],
    ['deadline.throwIfAborted()', ';', 'An abort has ended the exchange, and what reads the body tells why.'],
    ['chunk === null', 'false', 'An abort after the end finds nothing to cancel.'],
    ['this.#end()', ';', 'An abort after the end finds nothing to cancel.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/chunk-sizes.ts', [
    ['octet >= 0x30', 'true', 'A lower octet gives a negative number, which is no digit either.'],
    ...['this.#digits >= 0', 'true'].map((change) => [
      'this.#digits > 0',
      change,
      'undici refuses a size without digits, with blanks before it or without.',
    ]),
  ]),
  ...of('fetchers/src/protocols/http/connection/send-request.ts', [
    ['octets.length < shortestSecret', 'false', 'Nothing as short is a secret; it saves the search.'],
    ['true', 'false', 'Each context of a client says whether it has a listener.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/http2.ts', [
    ['name.toLowerCase()', 'name.toUpperCase()', 'Node makes names lower-case.'],
    ['{ endStream: true }', '{}', 'Node ends the request of GET and HEAD without it.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/http1.ts', [
    ['this.#isResting', 'true', 'It only delays the request by a turn of the event loop.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/http1-exchange.ts', [
    ...[
      ['!this.#isWhole', 'this.#isWhole'],
      ["this.fail(new PrematureClose('The connection is closed'))", ';'],
    ].map((row) => [...row, 'undici says why before it reads no more.']),
    ...['true', 'missing >= large'].map((change) => [
      'missing > large',
      change,
      'Only time and memory show in what pieces octets are read.',
    ]),
  ]),
  ...of('fetchers/src/protocols/http/connection/tls-port.ts', [
    ['{ return false }', '{}', 'Undefined is as false as false.'],
  ]),
  ...of('fetchers/src/protocols/http/response.ts', [
    ['[]', '["Stryker was here"]', 'No entity tag is that text; types ask for the list.'],
  ]),
  ...of('fetchers/src/protocols/http/connection/named-fields.ts', [
    ["key === '__proto__'", 'true', 'It is only slower to define a property than to assign it.'],
  ]),
  ...of('fetchers/src/kit/stopwatch.ts', [['redirected !== undefined', 'true', 'A time that is undefined is none.']]),
  ...of('fetchers/src/auth/plan-login.ts', [['plan.user === null', 'false', 'octetsToText(null) is null.']]),
]
