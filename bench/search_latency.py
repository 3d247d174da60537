#!/usr/bin/env python3
"""search_latency.py DATA COLLECTION [ROUNDS]: asks the worker that owns DATA ordinary questions, one after another, over its socket.
Prints the milliseconds of half of them and of all but one in a hundred, per mode, and the worker's memory."""
import json, socket, struct, sys, time

QUESTIONS = """how do I convert a string to an integer
read a file line by line
what is the difference between a slice and an array
sort a list of objects by a field
how does the borrow checker treat mutable references
thread safe hash map with concurrent updates
parse a date in ISO format
how to handle errors without panicking
iterate over the entries of a map
what happens when an integer overflows
write bytes to an output stream
compare two floating point numbers
create a temporary directory
return a value from an async function
implement an interface for a generic type
lifetime of a reference in a struct
regular expression with named groups
how do I close a socket when the other side hangs up
allocate memory on the heap
default value of a boolean field
split a string on whitespace
when is a destructor called
wait for a thread to finish
copy elements of one vector into another
format a number with leading zeros
deadlock when locking two mutexes
remove duplicates from a list
exception thrown while closing a resource
read an environment variable
pattern matching with guards
buffered reader performance
set the timeout of a connection
how are enum variants laid out in memory
call a function from another crate
random number between two bounds
unsigned right shift operator
cancel a scheduled task
load a class by its name at run time
what does unsafe allow me to do
measure elapsed time""".splitlines()


class Worker:
    def __init__(self, data):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(data + '/quarry.sock')
        self.number = 0
        self.send({'protocol': 1, 'version': '0.1.0'})
        self.greeting = self.receive()

    def send(self, message):
        text = json.dumps(message).encode()
        self.socket.sendall(struct.pack('>I', len(text)) + text)

    def take(self, count):
        data = b''
        while len(data) < count:
            data += self.socket.recv(count - len(data))
        return data

    def receive(self):
        return json.loads(self.take(struct.unpack('>I', self.take(4))[0]))

    def call(self, method, params):
        self.number += 1
        self.send({'id': self.number, 'method': method, 'params': params})
        return self.receive()


def memory_of(process):
    lines = open(f'/proc/{process}/status').read().splitlines()
    return [int(line.split()[1]) // 1024 for line in lines if line.startswith(('VmRSS', 'RssAnon'))]


data, collection = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
worker = Worker(data)
idle = memory_of(worker.greeting['pid'])
for mode in ('keyword', 'vector', 'hybrid'):
    times = []
    for turn in range(rounds + 1):
        for question in QUESTIONS:
            started = time.perf_counter()
            answer = worker.call('search', {'query': question, 'collection': collection, 'limit': 10, 'mode': mode})
            if 'error' in answer: sys.exit(str(answer['error']))
            if turn: times.append((time.perf_counter() - started) * 1000)  # the first turn warms up
    times.sort()
    print(f'{mode:8} p50 {times[len(times) // 2]:6.1f} ms   p99 {times[len(times) * 99 // 100]:6.1f} ms   ({len(times)} questions)')
print('worker memory, MB (resident, of these its own): before %s, after %s' % (idle, memory_of(worker.greeting['pid'])))
